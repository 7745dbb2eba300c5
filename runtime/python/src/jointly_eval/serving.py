"""Serves an agent: on standard input and output, or on a Unix socket."""

import contextlib
import copy
import os
import socket
import sys
import tempfile
import threading
from collections.abc import Callable
from io import TextIOWrapper
from types import TracebackType
from typing import TypeAlias

from .agent import Agent
from .message import Connection, ProtocolError
from .session import Observer, Session

#: An agent, or what makes one: a class or a function.
Source: TypeAlias = Agent | Callable[[], Agent]


def maker(source: Source) -> Callable[[], Agent]:
    """Returns a function that makes a new agent for each training."""
    if isinstance(source, Agent):
        return lambda: copy.copy(source)
    if not callable(source):
        raise TypeError(f"expected an agent, not {type(source).__name__}: a je.Classifier, a je.Regressor or a class")
    return source


def serve(agent: Source) -> None:
    """Answers on standard input and output until the connection is closed; ends the file of an agent.

    What the agent prints from here on goes to standard error, its log. What is printed and flushed before is in the way
    of the protocol.
    """
    make = maker(agent)
    if os.isatty(0):
        sys.exit(f"this program is an agent: run it by `jointly run {sys.argv[0]} --suite quick`")
    # The connection moves to descriptors that no print, no library in C and no input() knows.
    incoming = os.fdopen(os.dup(0), "rb")
    outgoing = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)
    try:
        Session(make, Connection(incoming, outgoing)).run()
    except ProtocolError as error:
        sys.exit(f"the host sent {error}")
    except KeyboardInterrupt:
        # The terminal interrupts the command and its agents together; the command says so.
        sys.exit(130)


class Server:
    """Serves one agent on a temporary Unix socket, with a thread for each connection."""

    def __init__(self, agent: Source, observer: Observer | None = None) -> None:
        self._make = maker(agent)
        self._observer = observer
        self._folder = tempfile.TemporaryDirectory(prefix="jointly-")
        self.path = os.path.join(self._folder.name, "agent")
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(self.path)
        self._listener.listen()
        self._connections: list[socket.socket] = []
        self._thread = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self) -> "Server":
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for one in (self._listener, *self._connections):
            # The other side may have closed it first.
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(timeout=1)
        self._folder.cleanup()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._connections.append(connection)
            threading.Thread(target=self._converse, args=(connection,), daemon=True).start()

    def _converse(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as incoming, connection.makefile("wb", buffering=0) as outgoing:
            try:
                Session(self._make, Connection(incoming, outgoing), self._observer).run()
            except ProtocolError as error:
                print(f"jointly_eval: the host sent {error}", file=sys.stderr)
