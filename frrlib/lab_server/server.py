"""The lab server: the process of a detached lab, which can outlive the program that started it.

    server.py FOLDER OWNER LOCK

FOLDER is the lab's folder in the register, OWNER the descriptor of a connection to the program, LOCK that of the
folder's lock. The lab ends when the owner's connection ends, unless a client has sent `KeepRequest`. It also ends when
a client sends `EndRequest`, and when this process ends.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
import threading
import traceback
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import msgspec

from frrlib import wire
from frrlib.errors import Interrupted, LabError, LabFailed
from frrlib.lab_server import protocol, register, ssh
from frrlib.lab_server.broker import Broker, Client
from frrlib.lab_server.register import Card
from frrlib.place.base import Program, Sandbox
from frrlib.place.choice import all_places
from frrlib.system import signals


@dataclass(frozen=True)
class _SharedLab:
    """A lab that has started, with its broker and its SSH server."""

    sandbox: Sandbox
    broker: Broker
    server: ssh.NodeSshServer


class LabServer:
    """A lab and the connections of its clients.

    Args:
        folder: the lab's folder in the register.
        owner: the connection to the program that started the lab.
        kept: the descriptor of the folder's lock.
    """

    def __init__(self, folder: Path, owner: socket.socket, lock: int) -> None:
        self._folder, self._owner, self._lock_handle = folder, owner, lock
        self._card = msgspec.json.decode((folder / register.CARD).read_bytes(), type=Card)
        self._lock = threading.Lock()
        self._has_left = False
        self._running: _SharedLab | None = None
        self._ending = os.eventfd(0)
        self._listener = socket.socket(socket.AF_UNIX)
        with register.address(folder) as address:
            self._listener.bind(address)
        self._listener.listen(64)

    def serve_until_end(self, request: protocol.StartRequest) -> None:
        """Start the lab and serve it until its end. When this returns, nothing of it is left.

        Raises:
            PlaceError: it could not be started.
            Interrupted: the start was given up.
        """
        signal.signal(signal.SIGTERM, lambda *_: self.end())
        self._change(place=request.place, holder=os.getpid())
        _start("owner", self._watch_owner)
        _start("door", self._accept)
        sandbox = _start_lab(request, self._ending)
        try:
            self._serve(sandbox)
        finally:
            sandbox.stop()

    def end(self) -> None:
        """Have `hold` end the lab and return."""
        os.eventfd_write(self._ending, 1)

    def _serve(self, sandbox: Sandbox) -> None:
        broker = Broker(sandbox.wire.writer, self._changed)
        server = ssh.NodeSshServer(self._folder / "ssh", sandbox, lambda: self._card)
        self._running = _SharedLab(sandbox, broker, server)
        _start("lab", self._read_lab, self._running)
        _start("wire", self._carry, self._owner, self._running)
        os.eventfd_read(self._ending)
        # The listener stays open: a client that requests the end now sees it when this process exits.
        sandbox.stop()
        words = protocol.LastWords(sandbox.last_words())
        self._leave_folder()
        broker.finish(protocol.encode_line(words))

    def _watch_owner(self) -> None:
        """End the lab with the connection of its owner, unless it is kept."""
        poll = select.poll()
        poll.register(self._owner, select.POLLRDHUP)
        poll.poll()
        if not self._card.kept:
            self.end()

    def _lab(self) -> _SharedLab:
        if self._running is None:
            raise LabFailed(f"the lab {self._folder.name} is still starting")
        return self._running

    # --- clients ------------------------------------------------------------------------------------------------------

    def _accept(self) -> None:
        with suppress(OSError):  # the end
            while True:
                _start("visitor", self._receive, self._listener.accept()[0])

    def _receive(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            try:
                request = protocol.decode_request(protocol.read_line(connection))
            except msgspec.MsgspecError as error:
                connection.sendall(
                    protocol.encode_line(
                        protocol.LabServerReply(kind="lab", reason=f"the request is malformed: {error}")
                    )
                )
                return
            try:
                if isinstance(request, protocol.AttachRequest):
                    self._carry(connection, self._lab())
                    return
                reply = protocol.LabServerReply(self._execute(request))
            except LabError as error:
                reply = protocol.error_reply(error)
            except OSError as error:  # the disk is full
                reply = protocol.error_reply(LabFailed(f"the description of the lab cannot be stored: {error}"))
            if isinstance(request, protocol.EndRequest):
                threading.Event().wait()  # this process ends the connection
            connection.sendall(protocol.encode_line(reply))

    def _execute(self, request: protocol.LabServerRequest) -> Any:
        match request:
            case protocol.DescribeRequest(card=card):
                self._describe(card)
            case protocol.KeepRequest():
                self._change(kept=True)
            case protocol.EndRequest():
                self.end()
            case protocol.TerminalRequest(argv=argv, node=node):
                return self._lab().sandbox.terminal_argv(argv, node)
            case protocol.PipeRequest(argv=argv, node=node):
                return self._lab().sandbox.pipe_argv(argv, node)
            case protocol.SshRequest(node=node):
                return self._lab().server.argv(node)
            case _:
                raise LabFailed("the lab is already running")
        return None

    def _carry(self, connection: socket.socket, lab: _SharedLab) -> None:
        """Serve a client's wire until its connection ends."""
        client = Client(connection)
        lab.broker.attach(client, protocol.encode_line(protocol.LabServerReply(_started(lab.sandbox))))
        try:
            with connection.makefile("rb", buffering=0) as stream:
                for line in wire.lines(stream):  # type: ignore[arg-type]
                    lab.broker.to_lab(client, line)
        except (OSError, msgspec.MsgspecError, wire.InvalidMessage):
            pass  # one of the ends is closed, or sends malformed lines
        finally:
            lab.broker.detach(client)

    def _read_lab(self, lab: _SharedLab) -> None:
        try:
            with suppress(OSError, ValueError):
                for line in wire.lines(lab.sandbox.wire.reader):
                    lab.broker.from_lab(line)
        finally:
            self.end()

    # --- the card -----------------------------------------------------------------------------------------------------

    def _describe(self, card: Card) -> None:
        self._change(
            **{
                name: getattr(card, name)
                for name in ("state", "file", "title", "reason", "nodes", "topology", "revision")
            },
            failed_commands=card.failed_commands,
            warnings=card.warnings,
        )
        self._lab().broker.send_all(wire.encode(wire.TopologyEvent()))
        _start("keys", self._make_keys)

    def _make_keys(self) -> None:
        with suppress(LabError, OSError):  # a client that requests them gets the error
            self._lab().server.make_keys()

    def _changed(self) -> None:
        with suppress(OSError):  # a full disk ends no lab; the next change writes the card
            self._change(links_down=self._lab().broker.links_down)

    def _change(self, **changes: Any) -> None:
        with self._lock:
            self._card = msgspec.structs.replace(self._card, **changes)
            if not self._has_left:
                with suppress(FileNotFoundError):  # a user removed the folder
                    register.write_card(self._folder, self._card)

    def _leave_folder(self) -> None:
        """Remove the lab's folder. From now on a folder of this name belongs to another lab."""
        with self._lock:
            self._has_left = True
            register.remove(self._folder, self._lock_handle)


def main() -> None:
    """Start the lab of the owner's request, reply, and serve the lab."""
    folder, owner, lock = Path(sys.argv[1]), socket.socket(fileno=int(sys.argv[2])), int(sys.argv[3])
    for handle in (owner.fileno(), lock):
        os.set_inheritable(handle, False)
    signals.begin(signal.SIGINT, signal.SIGHUP)
    try:
        request = protocol.decode_request(protocol.read_line(owner))
        assert isinstance(request, protocol.StartRequest)
        LabServer(folder, owner, lock).serve_until_end(request)
    except LabError as error:
        register.remove(folder, lock)
        with suppress(OSError):
            owner.sendall(protocol.encode_line(protocol.error_reply(error)))
    except Interrupted:
        pass
    except Exception as error:  # a defect; its traceback in the log would be removed with the folder
        trace = "".join(traceback.format_exception(error))
        with suppress(OSError):
            owner.sendall(
                protocol.encode_line(protocol.LabServerReply(kind="lab", reason=f"the lab server failed\n{trace}"))
            )
    finally:
        register.remove(folder, lock)


def _start_lab(request: protocol.StartRequest, abandon: int) -> Sandbox:
    """Start the lab in its place. The start is given up when the descriptor `abandon` becomes readable."""
    kernel = Path(request.kernel) if request.kernel else None
    place = next(candidate for candidate in all_places(kernel) if candidate.name == request.place)
    program = msgspec.convert(request.program, Program, dec_hook=lambda kind, text: kind(text))
    return place.start(replace(program, abandon=abandon))


def _started(sandbox: Sandbox) -> protocol.StartedLab:
    return protocol.StartedLab(asdict(sandbox.facts), sandbox.pid, str(sandbox.console))


def _start(name: str, work: Any, *args: Any) -> None:
    threading.Thread(target=work, args=args, name=name, daemon=True).start()


if __name__ == "__main__":
    main()
