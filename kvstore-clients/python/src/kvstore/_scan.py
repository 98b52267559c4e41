"""Scans of any size, page by page."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from ._calls import Reader
from ._errors import invalid_request
from ._values import Entry
from .gen.ttypes import ScanRequest

_DEFAULT_PAGE = 1_000


class Scan(Iterator[Entry]):
    """The entries of a scan, in order; pages are fetched when they are needed. For one thread.

    A scan that ended with an error can be gone on with: the next entry is the one that was due.
    """

    def __init__(self, calls: Reader, request: ScanRequest, limit: int | None) -> None:
        if limit is not None and limit < 0:
            raise invalid_request("the limit of a scan is not negative")
        self._calls = calls
        self._request = request
        self._left = limit
        self._done = limit == 0
        self._entries: deque[Entry] = deque()
        if request.max_entries is None and limit and limit < _DEFAULT_PAGE:
            request.max_entries = limit

    @property
    def continuation(self) -> bytes | None:
        """Where the next page begins, for table.scan(continuation=...); None when there is none.

        It is good after a restart of the server and for another client. The other arguments of
        that scan have to be those of this one.
        """
        continuation: bytes | None = self._request.continuation
        return None if self._done else continuation

    def next_page(self) -> list[Entry]:
        """The rest of the current page, or the next page; empty after the last."""
        while not self._entries and not self._done:
            self._fetch()
        page = list(self._entries)
        self._entries.clear()
        return page

    def __iter__(self) -> Scan:
        return self

    def __next__(self) -> Entry:
        while not self._entries:
            if self._done:
                raise StopIteration
            self._fetch()
        return self._entries.popleft()

    def _fetch(self) -> None:
        page = self._calls.read(lambda stub: stub.scan(self._request))
        for entry in page.entries[: self._left]:
            self._entries.append(Entry(entry.key, entry.value, entry.value_bytes))
        self._request.continuation = page.continuation
        self._done = page.continuation is None
        if self._left is not None:
            self._left -= len(self._entries)
            self._done = self._done or self._left == 0
