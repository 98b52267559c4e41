"""The socket below Thrift's frames."""

from __future__ import annotations

import select
import socket
import ssl
import time

from thrift.transport.TTransport import TTransportBase

from ._errors import TooLargeError
from ._options import Options
from .gen.ttypes import ErrorCode, Outcome


class SocketTransport(TTransportBase):  # type: ignore[misc]
    """A connected socket, with or without TLS. What is read and written until the next begin() has
    one deadline. Failures are OSError, and TimeoutError when time ran out.

    sent: whether anything was sent since begin().
    """

    def __init__(self, options: Options) -> None:
        self.sent = False
        self._max_frame_bytes = options.max_frame_bytes
        self._tls = options.tls
        self._deadline = time.monotonic() + options.connect_timeout
        address = (options.host, options.port)
        plain = socket.create_connection(address, options.connect_timeout)
        try:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            self._socket = _wrap(plain, options) if options.tls else plain
        except BaseException:
            plain.close()
            raise

    def begin(self, seconds: float) -> None:
        """Begins a call that may take so long."""
        self._deadline = time.monotonic() + seconds
        self.sent = False

    def has_input(self) -> bool:
        """Whether there is something to be read, be it only the end: never so between two calls."""
        if hasattr(select, "poll"):
            poll = select.poll()
            poll.register(self._socket, select.POLLIN)
            return bool(poll.poll(0))
        return bool(select.select([self._socket], [], [], 0)[0])

    def isOpen(self) -> bool:
        """Whether the socket was not closed on this side."""
        return self._socket.fileno() >= 0

    def close(self) -> None:
        """Closes the socket; more often is harmless."""
        self._socket.close()

    def read(self, size: int) -> bytes:
        """Reads some bytes, at most so many."""
        self._arm()
        data = self._socket.recv(size)
        if not data:
            raise ConnectionResetError("the server closed the connection")
        return data

    def readAll(self, size: int) -> bytes:
        """Reads so many bytes."""
        data = bytearray(size)
        rest = memoryview(data)
        while rest:
            self._arm()
            count = self._socket.recv_into(rest)
            if count == 0:
                raise ConnectionResetError("the server closed the connection")
            rest = rest[count:]
        return bytes(data)

    def write(self, frame: bytes) -> None:
        """Sends a frame with its length."""
        size = len(frame) - 4
        if size > self._max_frame_bytes:
            raise TooLargeError(
                f"the request has {size} bytes; max_frame_bytes is {self._max_frame_bytes}",
                code=ErrorCode.TOO_LARGE,
                outcome=Outcome.REJECTED,
                details={"limit": str(self._max_frame_bytes), "actual": str(size)},
            )
        # TLS can fail after a part of the frame went out, without telling how much.
        self.sent = self._tls
        rest = memoryview(frame)
        while rest:
            self._arm()
            count = self._socket.send(rest)
            self.sent = True
            rest = rest[count:]

    def flush(self) -> None:
        """Does nothing: write() sends at once."""

    def _arm(self) -> None:
        seconds = self._deadline - time.monotonic()
        if seconds <= 0:
            raise TimeoutError("timed out")
        self._socket.settimeout(seconds)


def _wrap(plain: socket.socket, options: Options) -> ssl.SSLSocket:
    context = options.ssl_context or ssl.create_default_context()
    return context.wrap_socket(plain, server_hostname=options.host)
