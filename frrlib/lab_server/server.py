"""The process that holds a lab: started by the program that wants the lab, it outlives it if it is told to.

    holder.py FOLDER OWNER LOCK

FOLDER is the lab's in the register, OWNER the descriptor of a connection to the program, LOCK that of the folder's
lock. The lab ends when the owner's connection ends, unless somebody said `Keep`; when somebody says `End`; and with
this process, however that ends.
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
from frrlib.place.base import Habitat, Program
from frrlib.place.choice import all_places
from frrlib.system import signals


@dataclass(frozen=True)
class _Running:
    """A lab that has started, and what makes it one for several programs."""

    habitat: Habitat
    broker: Broker
    server: ssh.Server


class Holder:
    """A lab and those who talk with it.

    Args:
        folder: the lab's in the register.
        owner: the connection to the program that wants the lab.
        kept: the descriptor of the folder's lock.
    """

    def __init__(self, folder: Path, owner: socket.socket, kept: int) -> None:
        self._folder, self._owner, self._kept = folder, owner, kept
        self._card = msgspec.json.decode((folder / register.CARD).read_bytes(), type=Card)
        self._lock = threading.Lock()
        self._has_left = False
        self._running: _Running | None = None
        self._ending = os.eventfd(0)
        self._listener = socket.socket(socket.AF_UNIX)
        with register.address(folder) as address:
            self._listener.bind(address)
        self._listener.listen(64)

    def hold(self, order: protocol.Start) -> None:
        """Start the lab and hold it until its end; when this returns, nothing of it is left.

        Raises:
            PlaceError: it could not be started.
            Interrupted: the start was given up.
        """
        signal.signal(signal.SIGTERM, lambda *_: self.end())
        self._change(place=order.place, holder=os.getpid())
        _start("owner", self._watch_owner)
        _start("door", self._accept)
        habitat = _start_lab(order, self._ending)
        try:
            self._serve(habitat)
        finally:
            habitat.stop()

    def end(self) -> None:
        """Have `hold` end the lab and return."""
        os.eventfd_write(self._ending, 1)

    def _serve(self, habitat: Habitat) -> None:
        broker = Broker(habitat.wire.writer, self._changed)
        server = ssh.Server(self._folder / "ssh", habitat, lambda: self._card)
        self._running = _Running(habitat, broker, server)
        _start("lab", self._read_lab, self._running)
        _start("wire", self._carry, self._owner, self._running)
        os.eventfd_read(self._ending)
        # The door stays open: who asks for the end now is heard no more, and sees it with this process's.
        habitat.stop()
        words = protocol.LastWords(habitat.last_words())
        self._leave_folder()
        broker.finish(protocol.line(words))

    def _watch_owner(self) -> None:
        """End a lab that is not kept with the connection of its owner."""
        poll = select.poll()
        poll.register(self._owner, select.POLLRDHUP)
        poll.poll()
        if not self._card.kept:
            self.end()

    def _lab(self) -> _Running:
        if self._running is None:
            raise LabFailed(f"the lab {self._folder.name} is still starting")
        return self._running

    # --- who is at the door -------------------------------------------------------------------------------------------

    def _accept(self) -> None:
        with suppress(OSError):  # the end
            while True:
                _start("visitor", self._receive, self._listener.accept()[0])

    def _receive(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            try:
                order = protocol.order(protocol.read_line(connection))
            except msgspec.MsgspecError as error:
                connection.sendall(protocol.line(protocol.Answer(kind="lab", why=f"not understood: {error}")))
                return
            try:
                if isinstance(order, protocol.Attach):
                    self._carry(connection, self._lab())
                    return
                answer = protocol.Answer(self._obey(order))
            except LabError as error:
                answer = protocol.failure(error)
            except OSError as error:  # the disk is full
                answer = protocol.failure(LabFailed(f"what the lab is cannot be written down: {error}"))
            if isinstance(order, protocol.End):
                threading.Event().wait()  # the connection ends with this process
            connection.sendall(protocol.line(answer))

    def _obey(self, order: protocol.Order) -> Any:
        match order:
            case protocol.Describe(card=card):
                self._describe(card)
            case protocol.Keep():
                self._change(kept=True)
            case protocol.End():
                self.end()
            case protocol.Terminal(argv=argv, node=node):
                return self._lab().habitat.terminal_argv(argv, node)
            case protocol.Pipe(argv=argv, node=node):
                return self._lab().habitat.pipe_argv(argv, node)
            case protocol.Ssh(node=node):
                return self._lab().server.argv(node)
            case _:
                raise LabFailed("the lab is already running")
        return None

    def _carry(self, connection: socket.socket, lab: _Running) -> None:
        """Be a wire for a client until its connection ends."""
        client = Client(connection)
        lab.broker.attach(client, protocol.line(protocol.Answer(_started(lab.habitat))))
        try:
            with connection.makefile("rb", buffering=0) as stream:
                for line in wire.lines(stream):  # type: ignore[arg-type]
                    lab.broker.to_lab(client, line)
        except (OSError, msgspec.MsgspecError, wire.InvalidMessage):
            pass  # one of the ends is gone, or talks nonsense
        finally:
            lab.broker.detach(client)

    def _read_lab(self, lab: _Running) -> None:
        try:
            with suppress(OSError, ValueError):
                for line in wire.lines(lab.habitat.wire.reader):
                    lab.broker.from_lab(line)
        finally:
            self.end()

    # --- the card -----------------------------------------------------------------------------------------------------

    def _describe(self, card: Card) -> None:
        self._change(
            **{name: getattr(card, name) for name in ("state", "file", "title", "reason", "nodes", "topology")},
            failed_commands=card.failed_commands,
            warnings=card.warnings,
        )
        _start("keys", self._make_keys)

    def _make_keys(self) -> None:
        with suppress(LabError, OSError):  # a program that asks for them is told
            self._lab().server.make_keys()

    def _changed(self) -> None:
        with suppress(OSError):  # a full disk ends no lab; the card in memory has it, and the next change writes it
            self._change(links_down=self._lab().broker.links_down)

    def _change(self, **what: Any) -> None:
        with self._lock:
            self._card = msgspec.structs.replace(self._card, **what)
            if not self._has_left:
                with suppress(FileNotFoundError):  # somebody removed it by hand
                    register.write_card(self._folder, self._card)

    def _leave_folder(self) -> None:
        """Remove the lab's folder; from now on one with its name is another lab's."""
        with self._lock:
            self._has_left = True
            register.remove(self._folder, self._kept)


def main() -> None:
    """Start the lab that the owner orders, tell it how that went, and hold the lab."""
    folder, owner, lock = Path(sys.argv[1]), socket.socket(fileno=int(sys.argv[2])), int(sys.argv[3])
    for handle in (owner.fileno(), lock):
        os.set_inheritable(handle, False)
    signals.begin(signal.SIGINT, signal.SIGHUP)
    try:
        order = protocol.order(protocol.read_line(owner))
        assert isinstance(order, protocol.Start)
        Holder(folder, owner, lock).hold(order)
    except LabError as error:
        register.remove(folder, lock)
        with suppress(OSError):
            owner.sendall(protocol.line(protocol.failure(error)))
    except Interrupted:
        pass
    except Exception as error:  # a defect; its traceback would go with the folder
        said = "".join(traceback.format_exception(error))
        with suppress(OSError):
            owner.sendall(protocol.line(protocol.Answer(kind="lab", why=f"the lab's holder failed\n{said}")))
    finally:
        register.remove(folder, lock)


def _start_lab(order: protocol.Start, abandon: int) -> Habitat:
    """Start the place; the start is given up when the descriptor `abandon` becomes readable."""
    kernel = Path(order.kernel) if order.kernel else None
    place = next(each for each in all_places(kernel) if each.name == order.place)
    program = msgspec.convert(order.program, Program, dec_hook=lambda kind, text: kind(text))
    return place.start(replace(program, abandon=abandon))


def _started(habitat: Habitat) -> protocol.Started:
    return protocol.Started(asdict(habitat.facts), habitat.pid, str(habitat.console))


def _start(name: str, work: Any, *args: Any) -> None:
    threading.Thread(target=work, args=args, name=name, daemon=True).start()


if __name__ == "__main__":
    main()
