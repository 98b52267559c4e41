"""What becomes of a call when the connection or the server fails, against a stub."""

from __future__ import annotations

import struct
import threading
import time
import unittest
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any
from unittest import mock

from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.Thrift import TApplicationException

import kvstore
from kvstore.gen import ttypes
from kvstore.gen.ttypes import (
    ErrorCode,
    GetResult,
    OperationKind,
    OperationState,
    Outcome,
    ScanPage,
    ServiceError,
    SnapshotLease,
)

from stub import CLOSE, DRIP, GARBAGE, HANG, StubServer, wait_until

ANSWERS: dict[str, Any] = {
    "ping": None,
    "put": None,
    "get": GetResult(value=b"value"),
    "contains": True,
    "openSnapshot": SnapshotLease(5, 60_000),
    "closeSnapshot": None,
    "authenticate": None,
}


def idle_for(seconds: float) -> Any:
    """Lets every connection seem idle for so long."""
    idle = mock.PropertyMock(return_value=seconds)
    return mock.patch("kvstore._connection.Connection.idle_seconds", idle)


class CallsTest(unittest.TestCase):
    def connect(self, plan: Any = None, **options: Any) -> tuple[StubServer, kvstore.Table]:
        server = StubServer(plan or (lambda _connection, _method: None), ANSWERS)
        self.addCleanup(server.close)
        self.client = kvstore.connect(server.url, **options)
        self.addCleanup(self.client.close)
        return server, self.client.table("db", "table")


class ReadsTest(CallsTest):
    def test_a_read_is_tried_again_on_a_new_connection(self) -> None:
        server, table = self.connect(lambda n, m: CLOSE if m == "get" and n < 3 else None)
        self.assertEqual(b"value", table.get("key"))
        self.assertEqual([(1, "get"), (2, "get"), (3, "get")], server.calls[1:])

    def test_a_read_is_tried_three_times_at_most(self) -> None:
        server, table = self.connect(lambda _n, m: CLOSE if m == "get" else None)
        with self.assertRaises(kvstore.ConnectionFailedError) as caught:
            table.get("key")
        self.assertTrue(caught.exception.retryable)
        self.assertEqual([(1, "get"), (2, "get"), (3, "get")], server.calls[1:])

    def test_a_read_that_timed_out_is_not_tried_again_nor_its_connection_used(self) -> None:
        server, table = self.connect(
            lambda n, m: HANG if m == "get" and n == 1 else None, timeout_ms=200
        )
        begin = time.monotonic()
        with self.assertRaises(kvstore.ConnectionFailedError) as caught:
            table.get("key")
        self.assertTrue(caught.exception.timed_out)
        self.assertLess(time.monotonic() - begin, 2)
        self.assertEqual(b"value", table.get("key"))
        self.assertEqual([(1, "get"), (2, "get")], server.calls[1:])

    def test_an_answer_that_never_ends_does_not_hold_the_call(self) -> None:
        _, table = self.connect(lambda _n, m: DRIP if m == "get" else None, timeout_ms=300)
        begin = time.monotonic()
        with self.assertRaises(kvstore.ConnectionFailedError) as caught:
            table.get("key")
        self.assertTrue(caught.exception.timed_out)
        self.assertLess(time.monotonic() - begin, 2)

    def test_a_read_is_not_tried_again_on_another_old_connection(self) -> None:
        both = threading.Barrier(2)
        server, table = self.connect(lambda _n, m: both.wait(9) >= 0 if m == "contains" else None)
        other = threading.Thread(target=table.contains, args=("key",))
        other.start()
        table.contains("key")
        other.join()
        server.plan = lambda n, m: CLOSE if n < 3 else None
        self.assertEqual(b"value", table.get("key"))
        self.assertEqual((3, "get"), server.calls[-1])
        self.assertEqual(2, server.methods().count("get"))

    def test_an_answer_that_is_no_thrift_closes_the_connection(self) -> None:
        server, table = self.connect(lambda n, m: GARBAGE if m == "get" and n == 1 else None)
        with self.assertRaises(kvstore.ConnectionFailedError):
            table.get("key")
        self.assertEqual(b"value", table.get("key"))
        self.assertEqual([(1, "get"), (2, "get")], server.calls[1:])

    def test_an_answer_over_the_limit_is_not_read(self) -> None:
        answer = GetResult(value=bytes(3000))
        _, table = self.connect(lambda _n, m: answer if m == "get" else None, max_frame_bytes=2000)
        with self.assertRaises(kvstore.ConnectionFailedError) as caught:
            table.get("key")
        self.assertIn("Frame size", str(caught.exception))

    def test_a_list_that_is_longer_than_its_frame_is_refused(self) -> None:
        begin = b"\x80\x01\x00\x02\x00\x00\x00\x04scan\x00\x00\x00\x00"
        endless = begin + b"\x0c\x00\x00\x0f\x00\x01\x0c\x7f\xff\xff\xff"
        _, table = self.connect(lambda _n, m: endless if m == "scan" else None, timeout_ms=500)
        with self.assertRaises(kvstore.ConnectionFailedError):
            next(table.scan())


class WritesTest(CallsTest):
    def test_a_write_that_broke_is_not_tried_again(self) -> None:
        server, table = self.connect(lambda _n, m: CLOSE if m == "put" else None)
        with self.assertRaises(kvstore.OutcomeUnknownError) as caught:
            table.put("key", b"value")
        self.assertEqual(Outcome.UNKNOWN, caught.exception.outcome)
        self.assertFalse(caught.exception.retryable)
        self.assertEqual(["put"], server.methods())

    def test_no_merge_that_broke_is_tried_again(self) -> None:
        server, table = self.connect(lambda _n, m: None if m == "ping" else CLOSE)
        batch = self.client.batch("db").add("table", "key", 1)
        for method, call in (
            ("add", lambda: table.add("key", 1)),
            ("append", lambda: table.append("key", b"more")),
            ("patch", lambda: table.patch("key", 0, b"part")),
            ("getAndPut", lambda: table.get_and_put("key", b"value")),
            ("getAndRemove", lambda: table.get_and_remove("key")),
            ("writeMerges", batch.write),
        ):
            with self.assertRaises(kvstore.OutcomeUnknownError):
                call()
            self.assertEqual(1, server.methods().count(method))

    def test_no_change_of_a_table_or_backup_that_broke_is_tried_again(self) -> None:
        server, table = self.connect(lambda _n, m: None if m == "ping" else CLOSE)
        calls: dict[str, Callable[[], object]] = {
            "renameTable": lambda: table.rename("new"),
            "alterTable": lambda: table.alter({"DURABILITY": "SYNC"}),
            "deleteBackup": lambda: self.client.delete_backup(1),
            "startOperation": self.client.backup,
        }
        for method, call in calls.items():
            with self.assertRaises(kvstore.OutcomeUnknownError):
                call()
            self.assertEqual(1, server.methods().count(method))

    def test_a_delta_is_a_number_of_64_bits(self) -> None:
        server, table = self.connect()
        for delta in (2**63, -(2**63) - 1):
            with self.assertRaises(kvstore.InvalidRequestError):
                table.add("key", delta)
            with self.assertRaises(kvstore.InvalidRequestError):
                self.client.batch("db").add("table", "key", delta)
        with self.assertRaises(TypeError):
            table.add("key", 1.5)  # type: ignore[arg-type]
        self.assertEqual([], server.methods())

    def test_text_that_is_no_key_is_not_sent(self) -> None:
        server, table = self.connect(lambda _n, _m: None)
        with self.assertRaises(kvstore.InvalidRequestError):
            table.put("half \ud800", b"value")
        for one in ("key", b"key"):
            with self.assertRaises(TypeError):
                table.get_all(one)  # type: ignore[arg-type]
        self.assertEqual([], server.methods())

    def test_a_write_that_timed_out_has_an_unknown_outcome(self) -> None:
        server, table = self.connect(lambda _n, m: HANG if m == "put" else None, timeout_ms=200)
        with self.assertRaises(kvstore.OutcomeUnknownError):
            table.put("key", b"value")
        self.assertEqual(["put"], server.methods())

    def test_a_write_with_an_unreadable_answer_has_an_unknown_outcome(self) -> None:
        _, table = self.connect(lambda _n, m: GARBAGE if m == "put" else None)
        with self.assertRaises(kvstore.OutcomeUnknownError):
            table.put("key", b"value")

    def test_a_write_is_tried_again_if_the_server_rejected_it_and_it_can_be_repeated(self) -> None:
        rejected = ServiceError(ErrorCode.OVERLOADED, "busy", True, Outcome.REJECTED)
        answers = iter([rejected, rejected, None])
        server, table = self.connect(lambda _n, m: next(answers) if m == "put" else None)
        table.put("key", b"value")
        self.assertEqual([(1, "put")] * 3, server.calls[1:])

    def test_a_write_is_not_tried_again_after_another_answer(self) -> None:
        for retryable, outcome in ((False, Outcome.REJECTED), (True, Outcome.FAILED), (True, None)):
            error = ServiceError(ErrorCode.OVERLOADED, "busy", retryable, outcome)
            with self.subTest(error):
                server, table = self.connect(lambda _n, m, e=error: e if m == "put" else None)
                with self.assertRaises(kvstore.UnavailableError) as caught:
                    table.put("key", b"value")
                self.assertEqual(outcome, caught.exception.outcome)
                self.assertEqual(["put"], server.methods())

    def test_a_write_leaves_the_connections_that_a_restart_ended(self) -> None:
        server, table = self.connect()
        server.drop_connections()
        wait_until(self.client._pool._idle[0].is_stale)
        table.put("key", b"value")
        self.assertEqual([(2, "put")], server.calls[1:])

    def test_a_write_pings_a_connection_that_was_idle(self) -> None:
        server, table = self.connect()
        for seconds in (0.9, 1.1, 0):
            with idle_for(seconds):
                table.put("key", b"value")
        self.assertEqual([(1, m) for m in ("put", "ping", "put", "put")], server.calls[1:])

    def test_a_read_does_not_ping(self) -> None:
        server, table = self.connect()
        with idle_for(100):
            table.get("key")
        self.assertEqual(["get"], server.methods())

    def test_a_write_leaves_a_connection_that_does_not_answer_the_ping(self) -> None:
        server, table = self.connect(connect_timeout_ms=200)
        server.plan = lambda n, _m: HANG if n == 1 else None
        with idle_for(1.1):
            table.put("key", b"value")
        self.assertEqual([(1, "ping"), (2, "ping"), (2, "put")], server.calls[1:])

    def test_a_call_that_cannot_be_encoded_is_invalid_and_leaves_nothing_behind(self) -> None:
        server, table = self.connect()
        with self.assertRaises(kvstore.InvalidRequestError):
            self.client.table("db", 5).put("key", b"value")  # type: ignore[arg-type]
        with self.assertRaises(kvstore.InvalidRequestError):
            next(table.scan(page_entries=2**40))
        for key, value in ((5, b""), (None, b""), ("key", "text"), ("key", None)):
            with self.assertRaises(TypeError):
                table.put(key, value)  # type: ignore[arg-type]
        table.put("key", b"value")
        self.assertEqual(["put"], server.methods())

    def test_a_request_over_the_limit_is_not_sent(self) -> None:
        server, table = self.connect(max_frame_bytes=2000)
        with self.assertRaises(kvstore.TooLargeError) as caught:
            table.put("key", bytes(3000))
        self.assertEqual(Outcome.REJECTED, caught.exception.outcome)
        table.put("key", b"value")
        self.assertEqual(["put"], server.methods())


class ErrorsTest(CallsTest):
    def test_every_code_arrives_with_its_class(self) -> None:
        plain = {"STORAGE_FAILED", "DATABASE_NOT_EMPTY", "INTERNAL_ERROR"}
        for code in ErrorCode:
            error = ServiceError(code, "text", False, Outcome.FAILED, "e1", {"limit": "5"})
            _, table = self.connect(lambda _n, m, e=error: e if m == "get" else None)
            with self.subTest(code), self.assertRaises(kvstore.KVStoreError) as caught:
                table.get("key")
            found = caught.exception
            self.assertEqual(code.name in plain, type(found) is kvstore.KVStoreError, code)
            self.assertEqual((code, "text", "e1"), (found.code, found.message, found.error_id))
            self.assertEqual((Outcome.FAILED, {"limit": "5"}), (found.outcome, found.details))

    def test_a_code_of_a_later_server_is_an_internal_error(self) -> None:
        begin = b"\x80\x01\x00\x02\x00\x00\x00\x03get\x00\x00\x00\x00"
        answer = begin + b"\x0c\x00\x01\x08\x00\x01\x00\x00\x03\xe7\x02\x00\x03\x01\x00\x00"
        _, table = self.connect(lambda _n, m: answer if m == "get" else None)
        with self.assertRaises(kvstore.KVStoreError) as caught:
            table.get("key")
        self.assertEqual(ErrorCode.INTERNAL_ERROR, caught.exception.code)
        self.assertTrue(caught.exception.retryable)

    def test_an_operation_of_a_later_server_is_read(self) -> None:
        begin = b"\x80\x01\x00\x02\x00\x00\x00\x09operation\x00\x00\x00\x00\x0c\x00\x00"
        kind, state = b"\x08\x00\x02\x00\x00\x00\x63", b"\x08\x00\x04\x00\x00\x00\x02"
        answer = begin + kind + state + b"\x00\x00"
        self.connect(lambda _n, m: answer if m == "operation" else None)
        found = self.client.operation(5)
        self.assertEqual((99, "UNKNOWN_99"), (found.kind, found.kind.name))
        self.assertIs(kvstore.OperationState.DONE, found.state)

    def test_a_method_that_the_server_does_not_know_is_rejected(self) -> None:
        for method in ("get", "put"):
            answer = self.exception(method, TApplicationException.UNKNOWN_METHOD)
            _, table = self.connect(lambda _n, m, told=answer: None if m == "ping" else told)
            expected = f"older than this client and does not know the method {method};"
            with self.assertRaisesRegex(kvstore.KVStoreError, expected) as caught:
                table.get("key") if method == "get" else table.put("key", b"")
            self.assertIs(kvstore.KVStoreError, type(caught.exception))
            self.assertEqual(Outcome.REJECTED, caught.exception.outcome)
            self.assertFalse(caught.exception.retryable)

    def test_an_exception_of_thrift_is_a_plain_error(self) -> None:
        for method, outcome in (("get", Outcome.FAILED), ("put", Outcome.UNKNOWN)):
            answer = self.exception(method, TApplicationException.INTERNAL_ERROR)
            _, table = self.connect(lambda _n, m, told=answer: None if m == "ping" else told)
            with self.assertRaisesRegex(kvstore.KVStoreError, "no") as caught:
                table.get("key") if method == "get" else table.put("key", b"")
            self.assertIs(kvstore.KVStoreError, type(caught.exception))
            self.assertEqual(outcome, caught.exception.outcome)

    @staticmethod
    def exception(method: str, kind: int) -> bytes:
        """A frame with an exception of Thrift's that says "no"."""
        begin = b"\x80\x01\x00\x03\x00\x00\x00\x03" + method.encode() + bytes(4)
        said = b"\x0b\x00\x01\x00\x00\x00\x02no"
        return begin + said + b"\x08\x00\x02" + struct.pack("!i", kind) + b"\x00"

    def test_an_error_keeps_the_connection(self) -> None:
        error = ServiceError(ErrorCode.TABLE_NOT_FOUND, "no such table")
        server, table = self.connect(lambda _n, m: error if m == "get" else None)
        with self.assertRaises(kvstore.NotFoundError):
            table.get("key")
        self.assertTrue(table.contains("key"))
        self.assertEqual([(1, "get"), (1, "contains")], server.calls[1:])


class WithoutFastDecoder(ErrorsTest, ReadsTest):
    """The same where Thrift's fast decoder is not available."""

    def setUp(self) -> None:
        plain = mock.patch("kvstore._connection.TBinaryProtocolAccelerated", TBinaryProtocol)
        plain.start()
        self.addCleanup(plain.stop)


class ConnectionsTest(CallsTest):
    def test_a_connection_begins_with_the_token(self) -> None:
        server, table = self.connect(token="secret")
        table.get("key")
        self.assertEqual([(1, "authenticate"), (1, "ping"), (1, "get")], server.calls)

    def test_a_wrong_token_is_not_tried_again(self) -> None:
        wrong = ServiceError(ErrorCode.UNAUTHENTICATED, "wrong token")
        with StubServer(lambda _n, m: wrong if m == "authenticate" else None, ANSWERS) as server:
            with self.assertRaises(kvstore.UnauthenticatedError):
                kvstore.connect(server.url, token="secret")
            self.assertEqual([(1, "authenticate")], server.calls)

    def test_waiting_for_a_connection_is_bounded(self) -> None:
        server, table = self.connect(
            lambda _n, m: HANG if m == "get" else None, pool=1, timeout_ms=300
        )
        failed = kvstore.ConnectionFailedError
        other = threading.Thread(target=lambda: self.assertRaises(failed, table.get, "key"))
        other.start()
        wait_until(lambda: server.methods() == ["get"])
        begin = time.monotonic()
        with self.assertRaises(kvstore.ConnectionFailedError):
            table.get("key")
        self.assertLess(time.monotonic() - begin, 2)
        other.join()
        self.assertTrue(table.contains("key"))

    def test_a_closed_client_fails_typed(self) -> None:
        _, table = self.connect()
        self.client.close()
        self.client.close()
        for call in (table.count, self.client.snapshot, table.truncate):
            with self.assertRaisesRegex(kvstore.ConnectionFailedError, "closed"):
                call()

    def test_a_snapshot_ends_with_its_connection(self) -> None:
        server, _ = self.connect(lambda _n, m: CLOSE if m == "get" else None)
        with self.client.snapshot() as view:
            table = view.table("db", "table")
            self.assertTrue(table.contains("key"))
            with self.assertRaises(kvstore.ConnectionFailedError):
                table.get("key")
            with self.assertRaises(kvstore.SnapshotExpiredError):
                table.contains("key")
        self.assertEqual([(2, "openSnapshot"), (2, "contains"), (2, "get")], server.calls[1:])

    def test_a_batch_keeps_to_its_database(self) -> None:
        server, table = self.connect()
        with self.assertRaises(kvstore.InvalidRequestError):
            self.client.batch("other").put(table, "key", b"value")
        with self.assertRaises(kvstore.InvalidRequestError):
            self.client.batch("db").write()
        self.assertEqual([], server.methods())

    def test_a_table_is_ordered_unless_the_server_says_no(self) -> None:
        told = iter([None, True, False])
        _, table = self.connect(
            lambda _n, m: (
                ttypes.TableInfo("db", "table", 1, "lsm", {}, next(told))
                if m == "describeTable"
                else None
            )
        )
        self.assertEqual([True, True, False], [table.describe().ordered for _ in range(3)])

    def test_a_renamed_table_has_another_handle(self) -> None:
        info = ttypes.TableInfo("db", "new", 1, "lsm", {"DURABILITY": "SYNC"})
        _, table = self.connect(lambda _n, m: info if m.endswith("Table") else None)
        renamed = table.rename("new")
        self.assertEqual(("db", "new", "table"), (renamed.database, renamed.name, table.name))
        altered = renamed.alter({"DURABILITY": "SYNC"})
        self.assertEqual(("new", {"DURABILITY": "SYNC"}), (altered.table, altered.options))

    def test_backups_are_listed(self) -> None:
        sound = ttypes.Backup(1, 1_700_000_000_123, 7, 2**40, 3)
        damaged = ttypes.Backup(2, 0, 0, 0, 0, "no description")
        server, _ = self.connect(
            lambda n, m: (CLOSE if n == 1 else [sound, damaged]) if m == "backups" else None
        )
        time = datetime(2023, 11, 14, 22, 13, 20, 123_000, tzinfo=timezone.utc)
        expected = kvstore.Backup(1, time, 7, 2**40, 3, None)
        found = self.client.backups()
        self.assertEqual([expected, "no description"], [found[0], found[1].damage])
        self.assertEqual([(1, "backups"), (2, "backups")], server.calls[1:])

    def test_jobs_of_backups_say_what_they_made(self) -> None:
        done = ttypes.Operation(9, OperationKind.BACKUP, None, OperationState.DONE, 0.5)
        done.backup = ttypes.Backup(1, 0, 7, 8, 9)
        done.restore = ttypes.Restore(1, "db", "db2")
        self.connect(lambda _n, m: done if m == "startOperation" else None)
        sent = []
        init = ttypes.OperationRequest.__init__

        def keep(request: Any, *arguments: Any) -> None:
            if arguments:  # the stub makes one without any
                sent.append(arguments)
            init(request, *arguments)

        with mock.patch.object(ttypes.OperationRequest, "__init__", keep):
            made = self.client.backup()
            self.client.verify_backups()
            self.client.restore(1, "db", "db2", wait=False)
        self.assertEqual((7, None), (made.backup and made.backup.lsn, made.table))
        self.assertEqual(kvstore.Restore(1, "db", "db2"), made.restore)
        self.assertEqual(
            [
                (OperationKind.BACKUP, None, None),
                (OperationKind.VERIFY_BACKUPS, None, None),
                (OperationKind.RESTORE, None, ttypes.Restore(1, "db", "db2")),
            ],
            sent,
        )

    def test_a_scan_goes_on_after_an_error(self) -> None:
        pages = iter(
            [
                ScanPage([kvstore.gen.ttypes.Entry(b"a", b"1")], b"next"),
                ServiceError(ErrorCode.STORAGE_FAILED, "no"),
                ScanPage([kvstore.gen.ttypes.Entry(b"b", None, 9)]),
            ]
        )
        _, table = self.connect(lambda _n, m: next(pages) if m == "scan" else None)
        scan = table.scan()
        self.assertEqual(kvstore.Entry(b"a", b"1"), next(scan))
        with self.assertRaises(kvstore.KVStoreError):
            next(scan)
        self.assertEqual([kvstore.Entry(b"b", None, 9)], list(scan))


if __name__ == "__main__":
    unittest.main()
