"""A page in headless Chromium, driven over pipes by the browser's own protocol; the standard library only."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Page:
    """A page of a browser: it loads files, evaluates JavaScript, presses keys and takes pictures."""

    def __init__(self, commands: int, replies: int) -> None:
        self._commands, self._replies, self._pending, self._number = commands, replies, b"", 0
        self._session: dict[str, str] = {}
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = {"sessionId": attached["sessionId"]}
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its result; events before the reply are kept."""
        self._number += 1
        request = {"id": self._number, "method": method, "params": parameters, **self._session}
        os.write(self._commands, json.dumps(request).encode() + b"\0")
        while (message := self._next()).get("id") != self._number:
            self.events.append(message)
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']}")
        return dict(message["result"])

    def open(self, path: Path, fragment: str = "") -> None:
        """Load a file and wait until it is complete."""
        self.call("Page.navigate", url="about:blank")  # else another fragment of the same file is not loaded again
        self.value("0")
        self.events.clear()
        self.call("Page.navigate", url=path.resolve().as_uri() + fragment)
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(self._next())

    def value(self, expression: str) -> Any:
        """The value of an expression in the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(str(result["exceptionDetails"]))
        return result["result"].get("value")

    def press(self, key: str, *, shift: bool = False) -> None:
        """Press a key where the focus is. The page gets the event at once, also on a busy machine."""
        options = json.dumps({"key": key, "shiftKey": shift, "bubbles": True, "cancelable": True})
        self.value(f"document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {options})) && 0")

    def look(self, width: int, height: int, *, dark: bool = False, media: str = "") -> None:
        """Set the size of the window, the color scheme and the medium ("print")."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def picture(self) -> bytes:
        """The visible part of the page as a PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def errors(self) -> list[str]:
        """Errors of the program in the page, and violations of its policy."""
        kinds = ("Runtime.exceptionThrown", "Log.entryAdded")
        return [json.dumps(event["params"]) for event in self.events if event["method"] in kinds]

    def requests(self) -> list[str]:
        """The addresses that the page has loaded."""
        return [e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._pending:
            chunk = os.read(self._replies, 1 << 20)
            if not chunk:
                raise RuntimeError("the browser has ended")
            self._pending += chunk
        message, _, self._pending = self._pending.partition(b"\0")
        return dict(json.loads(message))


@contextmanager
def browser() -> Iterator[Page]:
    """A page of a new browser, which ends with the block."""
    assert CHROMIUM is not None
    command_read, command_write = os.pipe()
    reply_read, reply_write = os.pipe()
    folder = tempfile.mkdtemp(prefix="chromium-")
    # The browser reads commands from descriptor 3 and writes replies to 4.
    script = f'exec 3<&{command_read} 4>&{reply_write}; exec "$@"'
    options = ["--headless=new", "--remote-debugging-pipe", "--disable-gpu", "--in-process-gpu", "--no-first-run",
               "--disable-extensions", "--disable-background-networking", "--disable-sync",
               "--disable-component-update", f"--user-data-dir={folder}"]  # fmt: skip
    if os.geteuid() == 0:  # the browser has no sandbox for root
        options += ["--no-sandbox", "--no-zygote"]
    process = subprocess.Popen(
        ["bash", "-c", script, "chromium", CHROMIUM, *options], pass_fds=(command_read, reply_write),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(command_read)
    os.close(reply_write)
    try:
        yield Page(command_write, reply_read)
    finally:
        os.close(command_write)  # the browser ends with its pipe
        os.close(reply_read)
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        shutil.rmtree(folder, ignore_errors=True)
