"""A real Firefox, driven by Marionette: numbered commands in JSON over a socket on loopback.

Marionette is what Firefox itself is tested with, and every build has it; no driver is needed.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import time
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["Firefox"]

_PREFERENCES = {
    "marionette.port": 0,  # any that is free
    "network.proxy.type": 0,
    "app.update.disabledForTesting": True,
    "browser.newtabpage.enabled": False,
    "browser.region.network.url": "",
    "datareporting.policy.dataSubmissionEnabled": False,
    "extensions.systemAddon.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,#remote-settings-dummy/v1",
}
_START_S = 60
_PATIENCE_S = 20
_PAUSE_S = 0.02


class Firefox:
    """A window of Firefox with a profile of its own."""

    def __init__(
        self,
        program: str,
        folder: Path,
        *,
        offline: bool = False,
        preferences: Mapping[str, object] | None = None,
    ) -> None:
        profile = folder / "profile"
        profile.mkdir()
        all_ = _PREFERENCES | {"network.manage-offline-status": not offline, **(preferences or {})}
        lines = [
            f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in all_.items()
        ]
        (profile / "user.js").write_text("\n".join(lines), encoding="utf-8")
        words = [program, "--headless", "--no-remote", "--marionette"]
        words += ["--remote-allow-system-access"]  # to grant what a person would be asked for
        words += ["--profile", str(profile), *(["--offline"] if offline else []), "about:blank"]
        self._process = subprocess.Popen(
            words,
            env=os.environ | {"HOME": str(folder)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._last = 0
        try:
            port = self._port(profile / "MarionetteActivePort")
            self._socket = socket.create_connection(("127.0.0.1", port), timeout=_START_S)
            self._answers = self._socket.makefile("rb")
            self._read()  # who answers, and in which version
            self._command("WebDriver:NewSession")
        except BaseException:
            self._process.kill()
            self._process.wait()
            raise

    def __enter__(self) -> Self:
        """Return the window, which is closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        with contextlib.suppress(OSError, ValueError):
            self._command("Marionette:Quit", flags=["eForceQuit"])
        self._answers.close()
        self._socket.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def open(self, address: str) -> None:
        """Go to an address, and wait until it is loaded."""
        self._command("WebDriver:Navigate", url=address)

    def run(self, script: str) -> Any:
        """What the body of a script returns, which runs in the page."""
        return self._command("WebDriver:ExecuteScript", script=script, args=[])

    def in_document(self, script: str, *arguments: object) -> Any:
        """What a function of a script returns, which runs where the reader shows the document."""
        is_text = self.run("return document.querySelector('#page') === null")
        frame = None if is_text else self._element("#page")
        self._command("WebDriver:SwitchToFrame", element=frame)
        try:
            body = f"return ({script})(...arguments)"
            return self._command("WebDriver:ExecuteScript", script=body, args=list(arguments))
        finally:
            self._command("WebDriver:SwitchToFrame", element=None)

    def run_to_end(self, script: str, *arguments: object) -> Any:
        """What a script hands to `done`, its last argument, which runs in the page."""
        body = f"const done = arguments[arguments.length - 1]; {script}"
        return self._command("WebDriver:ExecuteAsyncScript", script=body, args=list(arguments))

    def in_browser(self, script: str, *arguments: object) -> Any:
        """The same in the browser itself, which may do everything."""
        self._command("Marionette:SetContext", value="chrome")
        try:
            return self.run_to_end(script, *arguments)
        finally:
            self._command("Marionette:SetContext", value="content")

    def install(self, folder: Path) -> str:
        """Load an extension until the end; its identity."""
        installed = self._command("Addon:Install", path=str(folder), temporary=True)
        assert isinstance(installed, str)
        return installed

    def new_window(self) -> None:
        """Open another window, and go on there."""
        opened = self._command("WebDriver:NewWindow", type="window")
        self._command("WebDriver:SwitchToWindow", handle=opened["handle"])

    def wait_for(self, selector: str) -> None:
        """Wait until an element is there."""
        end = time.monotonic() + _PATIENCE_S
        while self.run(f"return document.querySelector({json.dumps(selector)}) === null"):
            assert time.monotonic() < end, f"still not there: {selector}"
            time.sleep(_PAUSE_S)

    def text(self, selector: str) -> str:
        """The words that an element shows; "" where there is none."""
        found = self.run(f"return document.querySelector({json.dumps(selector)})?.innerText")
        return found or ""

    def click(self, selector: str) -> None:
        """Click on an element as a mouse does: it must be in view, with nothing in front."""
        element = self._element(selector)
        self._command("WebDriver:ElementClick", id=next(iter(element.values())))

    def _element(self, selector: str) -> dict[str, str]:
        found = self._command("WebDriver:FindElement", using="css selector", value=selector)
        assert isinstance(found, dict)
        return found

    def _port(self, path: Path) -> int:
        end = time.monotonic() + _START_S
        while not (path.exists() and path.read_text()):
            assert self._process.poll() is None, "Firefox ended at its start"
            assert time.monotonic() < end, "Firefox does not start"
            time.sleep(_PAUSE_S)
        return int(path.read_text())

    def _command(self, name: str, **parameters: object) -> Any:
        self._last += 1
        message = json.dumps([0, self._last, name, parameters]).encode()
        self._socket.sendall(b"%d:%b" % (len(message), message))
        _, number, error, result = self._read()
        assert number == self._last
        if error:
            raise ValueError(f"{name}: {error['error']}: {error['message']}")
        return result["value"] if result.keys() == {"value"} else result

    def _read(self) -> list[Any]:
        size = b""
        while (octet := self._answers.read(1)) != b":":
            assert octet, "Firefox has gone"
            size += octet
        answer: list[Any] = json.loads(self._answers.read(int(size)))
        return answer
