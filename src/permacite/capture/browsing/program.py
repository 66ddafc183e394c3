"""The program Chromium: where it is, how it is started, and how nothing of it stays behind.

A small shell, the keeper, starts it and waits for our end of a pipe to close. However we end, by
`kill -9` too, the keeper then ends the browser and removes its profile. Should the keeper be killed
as well, the browser ends with its own pipe, and the next run removes the profile.

Chromium's own sandbox stays on. It does not run for root: there it is started as the user `nobody`.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import pwd
import shutil
import stat
import tempfile
from asyncio import subprocess
from pathlib import Path
from time import time
from typing import TYPE_CHECKING

from permacite.errors import CaptureError
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

__all__ = ["FLAGS", "LOCALE", "VIEW", "Program", "find_program", "why_not"]

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_PREFIX = "permacite-browser-"
_STALE_S = 60
"""A profile that nobody holds is left alone so long: it may be being made."""
_END_S = 10
"""How long the keeper may take to tidy up."""
_MESSAGE_BYTES = 512 * 1024 * 1024
"""The largest message of the browser: a resource comes in one, in base64."""

VIEW = (1280, 900)
"""Width and height of the window, in CSS pixels."""

_LOG_BYTES = 64 * 1024

_KEEPER = """
exec 3<&0 4>&1 5<&2 </dev/null >/dev/null 2>"$1/log"
folder=$1; shift
ulimit -c 0; ulimit -f 2097152; ulimit -d 2097152
"$@" 5<&- &
exec 3<&- 4>&-
read -r _ <&5
trap : TERM
kill -KILL $!; kill -TERM 0
wait
for _ in 1 2 3 4 5; do rm -rf "$folder" && exit; sleep 0.1; done
"""
"""Given a folder and a command. The command's pipes are 3 and 4, ours that closes is 5. A process
may have 2 GiB of memory of its own (in KiB), and write files of 1 GiB (in blocks of 512 octets)."""

_OFF = (
    "AcceptCHFrame,AutofillServerCommunication,CertificateTransparencyComponentUpdater,"
    "DialMediaRouteProvider,DnsOverHttps,GlobalMediaControls,HttpsUpgrades,InterestFeedContentSuggestions,IsolateOrigins,"
    "LensOverlay,MediaRouter,OptimizationHints,PaintHolding,Prerender2,PreloadMediaEngagementData,"
    "RendererSideContentDecoding,ServiceWorkerAutoPreload,SpareRendererForSitePerProcess,Translate,site-per-process,"
    "WebRtcHideLocalIpsWithMdns,WebUIOmniboxAimPopup,WebUIOmniboxPopup"
)
"""Features that would ask other hosts, or change what is asked for and how it comes."""

LOCALE = "en-US"

FLAGS = (
    "--headless",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-field-trial-config",
    "--disable-quic",
    "--disable-search-engine-choice-screen",
    "--disable-site-isolation-trials",
    "--disable-sync",
    "--deny-permission-prompts",
    "--dns-prefetch-disable",
    "--no-pings",
    "--no-startup-window",
    "--no-service-autorun",
    "--mute-audio",
    "--password-store=basic",
    "--use-mock-keychain",
    "--force-color-profile=srgb",
    "--force-device-scale-factor=1",
    "--hide-scrollbars",
    f"--lang={LOCALE}",
    "--enable-unsafe-swiftshader",
    f"--window-size={VIEW[0]},{VIEW[1]}",
    f"--disable-features={_OFF}",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
)


@dataclass(frozen=True, slots=True)
class Program:
    """A Chromium that can be started."""

    path: str
    sandbox: bool = True
    """Whether its own sandbox is on; without it, what breaks a page's process has our user."""

    @contextlib.asynccontextmanager
    async def run(self, proxy: str) -> AsyncIterator[tuple[subprocess.Process, Path]]:
        """Start it, with `proxy` as its only way out: the process, and where it logs to.

        Its standard streams are the pipe.

        Raises CaptureError where it cannot be started.
        """
        user = _other_user() if os.geteuid() == 0 else None
        with _profile(user) as folder:
            flags = (*FLAGS, f"--proxy-server={proxy}", f"--user-data-dir={folder}/profile")
            command = [self.path, *flags, *([] if self.sandbox else ["--no-sandbox"])]
            ours, theirs = os.pipe()
            try:
                process = await asyncio.create_subprocess_exec(
                    *("/bin/sh", "-c", _KEEPER, "sh", str(folder), *command),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=ours,
                    limit=_MESSAGE_BYTES,
                    cwd=folder,
                    env=_environment(folder),
                    start_new_session=True,
                    user=user and user[0],
                    group=user and user[1],
                    extra_groups=None if user is None else [],
                )
            except OSError as error:
                os.close(theirs)
                raise _unusable(
                    f"/bin/sh cannot be started: {error.strerror}", self.path
                ) from error
            finally:
                os.close(ours)
            try:
                yield process, folder / "log"
            finally:
                os.close(theirs)
                await _ended(process)


async def _ended(process: subprocess.Process) -> None:
    """Wait for the keeper, however long we are asked to end by others meanwhile."""
    try:
        await asyncio.wait_for(process.wait(), _END_S)
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, 9)
        await process.wait()


def find_program(path: str | None = None, *, sandbox: bool = True) -> Program | None:
    """The Chromium at `path`, or one that stands on PATH; None where there is none.

    Raises CaptureError for a path that is no program.
    """
    if path is not None:
        found = shutil.which(path)
        if found is None:
            raise _unusable(f"{path} is no program", path)
        return Program(found, sandbox)
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    return None if found is None else Program(found, sandbox)


def why_not(error: CaptureError, log: Path) -> CaptureError:
    """The error that a user sees where Chromium does not start, by what it logged."""
    with contextlib.suppress(OSError), log.open("rb") as file:
        lines = file.read(_LOG_BYTES).decode("utf-8", "replace").splitlines()
        told = next((line for line in lines if ":FATAL:" in line or "sandbox" in line), "")
        if "sandbox" in told:
            return CaptureError(
                "Chromium cannot have its sandbox on this system",
                uri=error.uri,
                reason="browser",
                hint="allow user namespaces, or, where only pages that you trust are drawn,"
                " --no-sandbox",
            )
        if told:
            problem = f"Chromium does not start: {told.rpartition('] ')[2][:200]}"
            return CaptureError(problem, uri=error.uri, reason="browser")
    return error


def _environment(folder: Path) -> dict[str, str]:
    """Nothing of ours but the path: no proxies, no home, no session."""
    path = os.environ.get("PATH", os.defpath)
    return {"PATH": path, "HOME": str(folder), "TMPDIR": str(folder), "LANG": "C.UTF-8"}


def _other_user() -> tuple[int, int]:
    try:
        entry = pwd.getpwnam("nobody")
    except KeyError:
        raise _unusable(
            "root cannot run Chromium's sandbox, and there is no user nobody", ""
        ) from None
    return entry.pw_uid, entry.pw_gid


@contextlib.contextmanager
def _profile(user: tuple[int, int] | None) -> Iterator[Path]:
    """A folder that is held by a lock as long as we live; those of the dead are removed."""
    home = _place(open_to_all=user is not None)
    _sweep(home)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=home))
    lock = os.open(folder / "lock", os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if user is not None:
            os.chown(folder, *user)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _place(*, open_to_all: bool) -> Path:
    """Where profiles are made: the folder for temporary files, if others may tidy up there."""
    home = Path(tempfile.gettempdir()).resolve()
    passable = all(each.stat().st_mode & stat.S_IXOTH for each in home.parents)
    theirs = passable and home.stat().st_mode & stat.S_IRWXO == stat.S_IRWXO
    return home if theirs or not open_to_all else Path("/tmp")  # noqa: S108 - mkdtemp makes it


def _sweep(home: Path) -> None:
    """Remove the profiles that nobody holds."""
    for folder in home.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if folder.is_symlink() or time() - folder.stat().st_mtime < _STALE_S:
                continue
            lock = os.open(folder / "lock", os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


def _unusable(problem: str, path: str) -> CaptureError:
    return CaptureError(problem, uri=path, reason="browser")
