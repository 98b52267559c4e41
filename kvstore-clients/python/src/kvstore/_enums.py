"""Lets the generated code read enum fields of any server, with either decoder.

The generated constructor of ServiceError looks its enum fields up by name, but Thrift's fast
decoder gives it their numbers: the code would be lost. And no decoder takes a number that is not in
the generated enum, though servers may add some. Both are repaired here.
"""

from __future__ import annotations

from typing import Any

from .gen import ttypes

_generated_init: Any = ttypes.ServiceError.__init__


def _init(
    self: Any,
    code: Any = None,
    message: Any = None,
    retryable: Any = None,
    outcome: Any = None,
    error_id: Any = None,
    details: Any = None,
) -> None:
    known_code = None if code is None else ttypes.ErrorCode(code)
    known_outcome = None if outcome is None else ttypes.Outcome(outcome)
    _generated_init(self, known_code, message, retryable, known_outcome, error_id, details)


def _unnamed(enum: Any, value: object) -> Any:
    """A member for a number that a later server added."""
    if not isinstance(value, int):
        return None
    member = int.__new__(enum, value)
    member._name_ = f"UNKNOWN_{value}"
    member._value_ = value
    return member


def repair() -> None:
    """Repairs the generated code, once; more often is harmless."""
    errors: Any = ttypes.ServiceError
    codes: Any = ttypes.ErrorCode
    outcomes: Any = ttypes.Outcome
    errors.__init__ = _init
    codes._missing_ = classmethod(lambda cls, _value: cls.INTERNAL_ERROR)
    outcomes._missing_ = classmethod(lambda cls, _value: cls.UNKNOWN)
    for named in (ttypes.OperationKind, ttypes.OperationState):
        added: Any = named
        added._missing_ = classmethod(_unnamed)
