"""URLs, good and bad."""

from __future__ import annotations

import ssl
import unittest

from kvstore import InvalidRequestError, KVStoreError
from kvstore._options import parse


class GoodUrls(unittest.TestCase):
    def test_the_shortest_has_all_defaults(self) -> None:
        options = parse("kvstore://localhost")
        self.assertEqual(("localhost", 9090, False), (options.host, options.port, options.tls))
        self.assertIsNone(options.token)
        self.assertEqual((5_000, 30_000), (options.connect_timeout_ms, options.timeout_ms))
        self.assertEqual((8, 17 * 1024 * 1024), (options.pool, options.max_frame_bytes))

    def test_all_parts_are_read(self) -> None:
        options = parse("kvstores://a%2Fb%40:c@[::1]:7/?pool=3&timeout_ms=20&connect_timeout_ms=9")
        self.assertEqual(("::1", 7, True), (options.host, options.port, options.tls))
        self.assertEqual("a/b@:c", options.token)
        self.assertEqual((9, 20), (options.connect_timeout_ms, options.timeout_ms))
        self.assertEqual((3, 17 * 1024 * 1024), (options.pool, options.max_frame_bytes))

    def test_an_argument_counts_more_than_the_url(self) -> None:
        options = parse("kvstore://old@localhost?pool=3", token="new", pool=5)
        self.assertEqual(("new", 5), (options.token, options.pool))

    def test_the_token_is_not_shown(self) -> None:
        self.assertNotIn("secret", repr(parse("kvstore://secret@localhost")))


class BadUrls(unittest.TestCase):
    def test_each_is_refused_without_showing_the_token(self) -> None:
        urls = [
            "",
            "localhost",
            "http://secret@localhost",
            "kvstore:localhost",
            "kvstore://",
            "kvstore://secret@",
            "kvstore://secret@:9090",
            "kvstore://secret@localhost:port",
            "kvstore://secret@localhost:0",
            "kvstore://secret@localhost:65536",
            "kvstore://secret@[::1",
            "kvstore://secret@localhost/path",
            "kvstore://secret@localhost#fragment",
            "kvstore://secret@localhost?unknown=1",
            "kvstore://secret@localhost?pool",
            "kvstore://secret@localhost?pool=",
            "kvstore://secret@localhost?pool=0",
            "kvstore://secret@localhost?pool=-1",
            "kvstore://secret@localhost?pool=x",
            "kvstore://secret@localhost?pool=1&pool=2",
            "kvstore://secret@localhost?timeout_ms=99999999999999999999",
            "kvstore://secret@localhost?max_frame_bytes=1073741824",
        ]
        for url in urls:
            with self.subTest(url):
                with self.assertRaises(InvalidRequestError) as caught:
                    parse(url)
                self.assertNotIn("secret", str(caught.exception))
                self.assertIsInstance(caught.exception, (KVStoreError, ValueError))

    def test_a_bad_argument_is_refused(self) -> None:
        for number in (0, -1, "4", 1.5, True):
            with self.subTest(number), self.assertRaises(InvalidRequestError):
                parse("kvstore://localhost", pool=number)  # type: ignore[arg-type]

    def test_trust_without_tls_is_refused(self) -> None:
        with self.assertRaises(InvalidRequestError):
            parse("kvstore://localhost", ssl_context=ssl.create_default_context())
