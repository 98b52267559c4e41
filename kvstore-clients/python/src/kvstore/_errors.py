"""The errors of this client: one base and what went wrong by class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .gen.ttypes import ConditionFailed, ErrorCode, Outcome, ServiceError


class KVStoreError(Exception):
    """Any failure of a call.

    message: what happened and what to do, for people.
    code: what went wrong, for programs; None when no server said it.
    retryable: whether the same call can succeed a moment later, with nothing changed by this one.
    outcome: what became of the call; None when it is not known.
    error_id: names the error in the server's log.
    details: figures of the failure, such as "limit" and "actual".
    """

    def __init__(
        self,
        message: str,
        *,
        code: ErrorCode | None = None,
        retryable: bool = False,
        outcome: Outcome | None = None,
        error_id: str | None = None,
        details: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.retryable = retryable
        self.outcome = outcome
        self.error_id = error_id
        self.details: dict[str, str] = dict(details or {})


class InvalidRequestError(KVStoreError, ValueError):
    """The request, or the URL of the server, is not valid; the message says what is."""


class NotFoundError(KVStoreError):
    """There is no such database, table or operation."""


class AlreadyExistsError(KVStoreError):
    """It exists already, perhaps with another definition."""


class UnauthenticatedError(KVStoreError):
    """The token is missing or wrong, or does not allow this."""


class ConditionFailedError(KVStoreError):
    """A check of a batch does not hold; nothing was applied.

    failed_check: the place of the first check that failed, from 0.
    """

    def __init__(self, message: str, *, failed_check: int = 0) -> None:
        super().__init__(message, outcome=Outcome.FAILED)
        self.failed_check = failed_check


class TableDroppedError(KVStoreError):
    """The table was dropped, truncated or created again while a call or a scan needed it."""


class SnapshotExpiredError(KVStoreError):
    """The snapshot was closed, its lease ran out, or its connection ended."""


class TooLargeError(KVStoreError):
    """A key, value, name, list, request or answer is over a limit that the message names."""


class CorruptionError(KVStoreError):
    """Stored bytes are damaged. Other tables go on."""


class UnavailableError(KVStoreError):
    """The server cannot do this now.

    It is overloaded or stopping, its store failed, or its disk is full.
    """


class OutcomeUnknownError(KVStoreError):
    """The write may or may not have been applied: read it back."""


class ConnectionFailedError(KVStoreError):
    """No connection could be had, or it broke in a call that changed nothing.

    timed_out: whether time ran out. Such a call is not tried again.
    """

    def __init__(self, message: str, *, timed_out: bool = False, **fields: Any) -> None:
        super().__init__(message, **fields)
        self.timed_out = timed_out


_CLASSES: dict[ErrorCode, type[KVStoreError]] = {
    ErrorCode.INVALID_REQUEST: InvalidRequestError,
    ErrorCode.CONTINUATION_INVALID: InvalidRequestError,
    ErrorCode.UNAUTHENTICATED: UnauthenticatedError,
    ErrorCode.PERMISSION_DENIED: UnauthenticatedError,
    ErrorCode.DATABASE_NOT_FOUND: NotFoundError,
    ErrorCode.TABLE_NOT_FOUND: NotFoundError,
    ErrorCode.NOT_FOUND: NotFoundError,
    ErrorCode.ALREADY_EXISTS: AlreadyExistsError,
    ErrorCode.DEFINITION_DIFFERS: AlreadyExistsError,
    ErrorCode.TABLE_DROPPED: TableDroppedError,
    ErrorCode.TOO_LARGE: TooLargeError,
    ErrorCode.ANSWER_TOO_LARGE: TooLargeError,
    ErrorCode.SNAPSHOT_EXPIRED: SnapshotExpiredError,
    ErrorCode.CORRUPTION: CorruptionError,
    ErrorCode.OVERLOADED: UnavailableError,
    ErrorCode.STOPPING: UnavailableError,
    ErrorCode.STORE_FAILED: UnavailableError,
    ErrorCode.DISK_FULL: UnavailableError,
    ErrorCode.OUTCOME_UNKNOWN: OutcomeUnknownError,
}


def from_service_error(error: ServiceError) -> KVStoreError:
    """The error that a server answered, as an error of this client."""
    code = ErrorCode.INTERNAL_ERROR if error.code is None else error.code
    return _CLASSES.get(code, KVStoreError)(
        error.message or code.name.lower().replace("_", " "),
        code=code,
        retryable=bool(error.retryable),
        outcome=error.outcome,
        error_id=error.error_id,
        details=error.details,
    )


def from_condition_failed(error: ConditionFailed) -> ConditionFailedError:
    """The failed check that a server answered, as an error of this client."""
    message = error.message or f"check {error.failed_check} of the batch does not hold"
    return ConditionFailedError(message, failed_check=error.failed_check)


def snapshot_expired(message: str) -> SnapshotExpiredError:
    """The error of a read of a snapshot that this client knows to be gone."""
    return SnapshotExpiredError(message, code=ErrorCode.SNAPSHOT_EXPIRED, outcome=Outcome.REJECTED)


def invalid_request(message: str) -> InvalidRequestError:
    """The error of a request that this client does not send."""
    return InvalidRequestError(message, code=ErrorCode.INVALID_REQUEST, outcome=Outcome.REJECTED)
