"""One connection to the server."""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable
from typing import Any, TypeVar, cast

from thrift.protocol.TBinaryProtocol import TBinaryProtocolAccelerated
from thrift.Thrift import TApplicationException
from thrift.transport.TTransport import TFramedTransport, TTransportException

from . import _enums
from ._errors import (
    ConnectionFailedError,
    KVStoreError,
    OutcomeUnknownError,
    from_condition_failed,
    from_service_error,
    invalid_request,
)
from ._options import Options
from ._transport import SocketTransport
from .gen.KVStoreService import Client as Stub
from .gen.ttypes import ConditionFailed, ErrorCode, Outcome, ServiceError

T = TypeVar("T")
Invoke = Callable[[Stub], T]

_MAX_CONTAINER_ITEMS = 1_000_000

_enums.repair()


class _NamedCalls:
    """The calls of a stub. method: the name of the latest one."""

    def __init__(self, stub: Stub) -> None:
        self.method = ""
        self._stub = stub

    def __getattr__(self, method: str) -> Any:
        self.method = method
        return getattr(self._stub, method)


class Connection:
    """A connection, for one thread at a time.

    After a failure that is not an answer of the server it is closed and stays so.

    peer_gone: whether the server ended it, so that other connections have probably ended too.
    """

    def __init__(self, options: Options) -> None:
        self.peer_gone = False
        self._options = options
        try:
            self._socket = SocketTransport(options)
        except (OSError, UnicodeError) as error:
            raise self._connect_failed(error) from error
        framed = TFramedTransport(self._socket, options.max_frame_bytes)
        protocol = TBinaryProtocolAccelerated(
            framed,
            strictRead=True,
            strictWrite=True,
            string_length_limit=options.max_frame_bytes,
            container_length_limit=_MAX_CONTAINER_ITEMS,
        )
        self._calls = _NamedCalls(Stub(protocol))  # type: ignore[no-untyped-call]
        self._used_at = time.monotonic()
        if options.token is not None:
            self._authenticate(options.token)

    @property
    def is_open(self) -> bool:
        """Whether it can be used."""
        return self._socket.isOpen()

    @property
    def idle_seconds(self) -> float:
        """How long ago it was used."""
        return time.monotonic() - self._used_at

    def is_stale(self) -> bool:
        """Whether the server ended it between two calls, as far as this side was told."""
        return not self.is_open or self._socket.has_input()

    def answers(self) -> bool:
        """Whether it answers a ping; if not, it is closed."""
        try:
            self.call(lambda stub: stub.ping(), False, self._options.connect_timeout)
        except KVStoreError:
            self.peer_gone = True
            self.close()
        return self.is_open

    def call(self, invoke: Invoke[T], write: bool, timeout: float | None = None) -> T:
        """Makes one call, which may take so many seconds."""
        self._socket.begin(self._options.timeout if timeout is None else timeout)
        try:
            return invoke(cast(Stub, self._calls))
        except ServiceError as error:
            if error.code == ErrorCode.STOPPING:
                self.peer_gone = True
                self.close()
            raise from_service_error(error) from None
        except ConditionFailed as error:
            raise from_condition_failed(error) from None
        except Exception as error:
            self.close()
            raise self._failure(error, write) from error
        except BaseException:
            self.close()
            raise
        finally:
            self._used_at = time.monotonic()

    def close(self) -> None:
        """Closes the connection; more often is harmless."""
        self._socket.close()

    def _authenticate(self, token: str) -> None:
        try:
            self.call(lambda stub: stub.authenticate(token), False, self._options.connect_timeout)
        except BaseException:
            self.close()
            raise

    def _failure(self, error: Exception, write: bool) -> KVStoreError:
        sent = self._socket.sent
        if isinstance(error, KVStoreError):
            return error
        if isinstance(error, TApplicationException):
            if error.type == TApplicationException.UNKNOWN_METHOD:
                return KVStoreError(
                    "the server is older than this client and does not know the method "
                    f"{self._calls.method}; nothing was changed",
                    outcome=Outcome.REJECTED,
                )
            outcome = Outcome.UNKNOWN if write else Outcome.FAILED
            return KVStoreError(f"the server could not take the call: {error}", outcome=outcome)
        broken = isinstance(error, (OSError, EOFError, TTransportException))
        if not sent and not broken:
            return invalid_request(f"the request cannot be sent: {error}")
        timed_out = isinstance(error, TimeoutError)
        self.peer_gone = isinstance(error, OSError) and not timed_out
        reason = "the call timed out" if timed_out else f"the connection failed: {error}"
        if write and sent:
            return OutcomeUnknownError(
                f"{reason}; the write may or may not have been applied",
                code=ErrorCode.OUTCOME_UNKNOWN,
                outcome=Outcome.UNKNOWN,
            )
        return ConnectionFailedError(
            reason,
            timed_out=timed_out,
            retryable=timed_out or self.peer_gone,
            outcome=Outcome.FAILED if sent else Outcome.REJECTED,
        )

    def _connect_failed(self, error: Exception) -> ConnectionFailedError:
        return ConnectionFailedError(
            f"cannot connect to {self._options.host} port {self._options.port}: {error}",
            timed_out=isinstance(error, TimeoutError),
            retryable=not isinstance(error, ssl.SSLCertVerificationError),
            outcome=Outcome.REJECTED,
        )
