"""Where the server is and how to talk to it: a URL and options."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from ._errors import InvalidRequestError, invalid_request

DEFAULT_PORT = 9090
_SCHEMES = {"kvstore": False, "kvstores": True}
_DEFAULTS = {
    "connect_timeout_ms": 5_000,
    "timeout_ms": 30_000,
    "pool": 8,
    "max_frame_bytes": 17 * 1024 * 1024,
}
_LARGEST = {
    "connect_timeout_ms": 86_400_000,
    "timeout_ms": 86_400_000,
    "pool": 10_000,
    "max_frame_bytes": 0x3FFFFFFF,
}


@dataclass(frozen=True)
class Options:
    """Where the server is and how to talk to it."""

    host: str
    port: int
    tls: bool
    token: str | None = field(repr=False)
    connect_timeout_ms: int
    timeout_ms: int
    pool: int
    max_frame_bytes: int
    ssl_context: ssl.SSLContext | None = field(default=None, repr=False)

    @property
    def timeout(self) -> float:
        """Seconds that a call may take."""
        return self.timeout_ms / 1000

    @property
    def connect_timeout(self) -> float:
        """Seconds that opening a connection may take."""
        return self.connect_timeout_ms / 1000


def parse(
    url: str,
    *,
    token: str | None = None,
    ssl_context: ssl.SSLContext | None = None,
    **numbers: int | None,
) -> Options:
    """The options of a URL; those given beside it count more."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise invalid_request("the URL's host or port is not valid") from error
    if parts.scheme not in _SCHEMES:
        raise invalid_request("a URL begins with kvstore:// or kvstores://")
    tls = _SCHEMES[parts.scheme]
    if not host:
        raise invalid_request("the URL names no host")
    if parts.path not in ("", "/") or parts.fragment:
        raise invalid_request("a URL has no path: kvstore://[TOKEN@]HOST[:PORT]")
    if port == 0:
        raise invalid_request("a port is 1 to 65535")
    if ssl_context is not None and not tls:
        raise invalid_request("an ssl_context needs a kvstores:// URL")
    given = {name: value for name, value in numbers.items() if value is not None}
    settings = _DEFAULTS | _parameters(parts.query) | given
    for name, value in settings.items():
        if type(value) is not int or not 1 <= value <= _LARGEST[name]:
            raise _out_of_range(name)
    return Options(
        host=host,
        port=DEFAULT_PORT if port is None else port,
        tls=tls,
        token=_token(parts) if token is None else token,
        ssl_context=ssl_context,
        **settings,
    )


def _token(parts: SplitResult) -> str | None:
    token, at, _ = parts.netloc.rpartition("@")
    return (unquote(token) or None) if at else None


def _parameters(query: str) -> dict[str, int]:
    parameters: dict[str, int] = {}
    if not query:
        return parameters
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True)
    except ValueError as error:
        raise invalid_request("a URL's parameters are NAME=NUMBER, with & between them") from error
    for name, text in pairs:
        if name not in _DEFAULTS:
            raise invalid_request(
                f"unknown parameter {name!r} of the URL: there are {', '.join(_DEFAULTS)}"
            )
        if name in parameters:
            raise invalid_request(f"the URL has the parameter {name} twice")
        if not (text.isascii() and text.isdigit() and len(text) < 12):
            raise _out_of_range(name)
        parameters[name] = int(text)
    return parameters


def _out_of_range(name: str) -> InvalidRequestError:
    return invalid_request(f"{name} is a number from 1 to {_LARGEST[name]}")
