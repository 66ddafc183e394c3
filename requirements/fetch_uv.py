"""Fetch uv, pinned by requirements/uv.txt, where Python has neither pip nor venv (minimal Debian).

It asks the package index for uv's files, as pip does, takes the wheel of this machine, compares its
digest with those pinned, and unpacks the program into the folder given.
"""

import hashlib
import io
import json
import os
import platform
import re
import sys
import urllib.parse
import urllib.request
import zipfile
from pathlib import Path

INDEX = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple")
LISTED = "application/vnd.pypi.simple.v1+json"
PINNED = Path(__file__).with_name("uv.txt")
TIMEOUT_S = 60


def get(uri: str, accept: str = "*/*") -> bytes:
    """Return what is at an address."""
    request = urllib.request.Request(uri, headers={"Accept": accept})
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
        content: bytes = answer.read()
    return content


def is_for_this_machine(file: str) -> bool:
    """Whether a wheel's last tags name this machine, and its C library."""
    library = "manylinux" if platform.libc_ver()[0] == "glibc" else "musllinux"
    system = "macosx" if sys.platform == "darwin" else library
    tags = file.removesuffix(".whl").rpartition("-")[2].split(".")
    return any(tag.startswith(system) and tag.endswith(platform.machine()) for tag in tags)


def main() -> None:
    """Fetch, compare, unpack."""
    pinned = PINNED.read_text(encoding="utf-8")
    version = re.search(r"^uv==([0-9.]+)", pinned, re.MULTILINE)
    if version is None:
        sys.exit(f"{PINNED} pins no uv")
    page = f"{INDEX.rstrip('/')}/uv/"
    files = json.loads(get(page, LISTED))["files"]
    wheels = [file for file in files if file["filename"].startswith(f"uv-{version[1]}-")]
    found = next((file for file in wheels if is_for_this_machine(file["filename"])), None)
    if found is None:
        sys.exit("uv has no wheel for this machine: install pip or venv, and run again")
    content = get(urllib.parse.urljoin(page, found["url"]))
    if hashlib.sha256(content).hexdigest() not in pinned:
        sys.exit(f"{found['filename']} is not what {PINNED.name} pins")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        name = next(name for name in packed.namelist() if name.endswith("/scripts/uv"))
        program = folder / "uv"
        program.write_bytes(packed.read(name))
    program.chmod(0o755)


if __name__ == "__main__":
    main()
