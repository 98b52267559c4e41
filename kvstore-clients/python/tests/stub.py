"""A server in this process that does what a test tells it."""

from __future__ import annotations

import contextlib
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable
from typing import Any

from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.transport.TTransport import TMemoryBuffer

from kvstore.gen.KVStoreService import Iface, Processor

Plan = Callable[[int, str], Any]

CLOSE = "close"
HANG = "hang"
GARBAGE = "garbage"
DRIP = "drip"


class Handler(Iface):
    """Answers as a test says: a value by the method's name, an exception is raised."""

    def __init__(self, answers: dict[str, Any]) -> None:
        for name, answer in answers.items():
            setattr(self, name, self._answering(answer))

    @staticmethod
    def _answering(answer: Any) -> Callable[..., Any]:
        def method(*_arguments: Any) -> Any:
            if isinstance(answer, Exception):
                raise answer
            return answer

        return method


class StubServer:
    """Takes connections, numbered from 1, and logs each call as (connection, method).

    plan(connection, method) tells what becomes of a call: CLOSE, HANG, GARBAGE, DRIP for an answer
    that comes byte by byte and does not end, bytes to be sent as a frame, an exception or value to
    be answered, or None to answer as the answers say.
    """

    def __init__(
        self,
        plan: Plan = lambda _connection, _method: None,
        answers: dict[str, Any] | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.calls: list[tuple[int, str]] = []
        self.plan = plan
        self._answers = answers or {}
        self._tls = tls
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.url = f"kvstore{'s' if tls else ''}://localhost:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    def methods(self) -> list[str]:
        """The methods that were called, without connect()'s ping."""
        return [method for _, method in self.calls[1:]]

    def drop_connections(self) -> None:
        """Ends all connections, as a restart does."""
        for connection in self._open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._open.clear()

    def close(self) -> None:
        self._listener.close()
        self.drop_connections()

    def __enter__(self) -> StubServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _accept(self) -> None:
        number = 0
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            number += 1
            threading.Thread(target=self._serve, args=(connection, number), daemon=True).start()

    def _serve(self, connection: socket.socket, number: int) -> None:
        with contextlib.suppress(OSError, EOFError):
            if self._tls:
                connection = self._tls.wrap_socket(connection, server_side=True)
            self._open.append(connection)
            while True:
                frame = _read_frame(connection)
                name, _, _ = TBinaryProtocol(TMemoryBuffer(frame)).readMessageBegin()
                self.calls.append((number, name))
                told = self.plan(number, name)
                if told == CLOSE:
                    break
                if told == DRIP:
                    self._drip(connection)
                elif told != HANG:
                    answer = self._answer(frame, name, told)
                    connection.sendall(struct.pack("!i", len(answer)) + answer)
        connection.close()

    @staticmethod
    def _drip(connection: socket.socket) -> None:
        connection.sendall(struct.pack("!i", 1000))
        for _ in range(200):
            connection.sendall(b"x")
            time.sleep(0.05)

    def _answer(self, frame: bytes, name: str, told: Any) -> bytes:
        if told == GARBAGE:
            return b"not thrift"
        if isinstance(told, bytes):
            return told
        answers = self._answers if told is None else {**self._answers, name: told}
        out = TMemoryBuffer()
        processor: Any = Processor(Handler(answers))
        processor.process(TBinaryProtocol(TMemoryBuffer(frame)), TBinaryProtocol(out))
        answer: bytes = out.getvalue()
        return answer


def wait_until(holds: Callable[[], bool]) -> None:
    """Waits until a condition holds, ten seconds at most."""
    deadline = time.monotonic() + 10
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError("the condition did not hold in ten seconds")
        time.sleep(0.005)


def _read_frame(connection: socket.socket) -> bytes:
    (size,) = struct.unpack("!i", _read(connection, 4))
    return _read(connection, size)


def _read(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            raise EOFError
        data += part
    return data
