"""The sounds and pictures beside this file, written once out of those of `tests.media.formats`.

The encoders are Debian's, which no test is to need: ffmpeg (DTS, Speex, Theora, lossless JPEG), sox
(GSM, AMR), musepack-tools (Musepack), libjmac-java (APE), libvo-amrwbenc0 (AMR-WB),
libjpeg-turbo-progs (arithmetic JPEG) and vips and ImageMagick (all other pictures).
Run from the root of the project: `python -m tests.media.made.generate`. The comparisons hold for
whatever these programs write.
"""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
import wave
from pathlib import Path

from tests.media.formats import encoded_sound, encoded_video, picture

HERE = Path(__file__).parent
COMMANDS = [
    ("dts", 8000, "ffmpeg -v error -y -i {wave} -c:a dca -strict -2 -b:a 128k {made}"),
    ("spx", 8000, "ffmpeg -v error -y -i {wave} -c:a libspeex {exact} {made}"),
    ("gsm", 8000, "sox {wave} {made}"),
    ("amr", 8000, "sox {wave} -t amr-nb {made}"),
    ("mpc", 44100, "mpcenc --silent --overwrite {wave} {made}"),
    ("ape", 8000, "java -jar /usr/share/java/jmac.jar c2 {wave} {made}"),
]
PICTURES = {
    "arithmetic.jpg": "cjpeg -arithmetic -outfile {made} {ppm}",
    "arithmetic-scans.jpg": "cjpeg -arithmetic -progressive -outfile {made} {ppm}",
    "lossless.jpg": "ffmpeg -v error -y -i {ppm} -c:v ljpeg -pix_fmt yuvj444p -f image2 {made}",
    "interlaced.png": "convert {ppm} -interlace PNG {made}",
    "interlaced.gif": "convert {ppm} -interlace GIF {made}",
    "alpha.jp2": "convert {ppm} -alpha set -channel A -fx i/w {made}",
    "555.bmp": "convert {ppm} -define bmp:subtype=RGB555 {made}",
    "565.bmp": "convert {ppm} -define bmp:subtype=RGB565 {made}",
    "os2.bmp": "convert {ppm} bmp2:{made}",
    "alpha.bmp": "convert {ppm} -alpha set -channel A -fx i/w {made}",
    "planes.tif": "convert {ppm} -interlace plane {made}",
    "lsb.tif": "convert {ppm} -monochrome -compress Fax -define tiff:fill-order=lsb {made}",
    "msb.tif": "convert {ppm} -depth 16 -define tiff:endian=msb {made}",
    "tiles.tif": "convert {ppm} -define tiff:tile-geometry=16x16 {made}",
    "rgb16.tif": "convert {ppm} -fx u*i/w -depth 16 {made}",
    "float.tif": "vips linear {ppm} {made} 0.00392156862745098 0",
    "white.tif": "convert {ppm} -colorspace gray -define quantum:polarity=min-is-white {made}",
}
EXACT = "-fflags +bitexact -flags +bitexact"
THEORA = "ffmpeg -v error -y -i {source} -c:v libtheora -q:v 6 {exact} {made}"
_AMR_WB_FRAME = 320
_AMR_WB_12650 = 2
"""The mode of 12,650 bits a second."""


def main() -> None:
    """Write all of them."""
    with tempfile.TemporaryDirectory() as folder:
        for minor, rate, command in COMMANDS:
            made = HERE / f"tones.{minor}"
            words = command.format(wave=one_second(Path(folder), rate), made=made, exact=EXACT)
            subprocess.run(words.split(), check=True)
        ppm = Path(folder) / "picture.ppm"
        ppm.write_bytes(picture("PPM")())
        for name, command in PICTURES.items():
            words = command.format(ppm=ppm, made=HERE / name)
            subprocess.run(words.split(), check=True)
        film = Path(folder) / "moving.y4m"
        film.write_bytes(encoded_video("yuv4mpegpipe", "wrapped_avframe"))
        words = THEORA.format(source=film, exact=EXACT, made=HERE / "moving.ogv")
        subprocess.run(words.split(), check=True)
        (HERE / "tones.awb").write_bytes(amr_wb(one_second(Path(folder), 16000)))


def one_second(folder: Path, rate: int) -> Path:
    """Return the file of the sound, without compression."""
    path = folder / f"{rate}.wav"
    layout = "stereo" if rate == 44100 else "mono"
    path.write_bytes(encoded_sound("wav", "pcm_s16le", layout, rate))
    return path


def amr_wb(path: Path) -> bytes:
    """Return the sound of a file in AMR-WB (RFC 4867 §5)."""
    encoder = ctypes.CDLL("libvo-amrwbenc.so.0")
    encoder.E_IF_init.restype = ctypes.c_void_p
    encoder.E_IF_encode.argtypes = [
        ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int
    ]  # fmt: skip
    state, made = encoder.E_IF_init(), b"#!AMR-WB\n"
    with wave.open(str(path)) as sound:
        while len(samples := sound.readframes(_AMR_WB_FRAME)) == 2 * _AMR_WB_FRAME:
            frame = ctypes.create_string_buffer(100)
            made += frame.raw[: encoder.E_IF_encode(state, _AMR_WB_12650, samples, frame, 0)]
    return made


if __name__ == "__main__":
    main()
