package io.kvstore.client.contract;

import static io.kvstore.client.contract.Stage.bytes;
import static io.kvstore.client.contract.Stage.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.client.ClientBatch;
import io.kvstore.client.ClientCondition;
import io.kvstore.client.ClientTable;
import io.kvstore.client.error.ConditionFailedException;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.InvalidRequestException;
import io.kvstore.client.error.NotFoundException;
import io.kvstore.client.error.Outcome;

/** Batches: all of it or nothing. */
public interface BatchScenarios extends Stage {

    /** A batch changes several tables, in order. */
    @OnBothEngines
    default void a_batch_changes_two_tables(String engine) {
        ClientTable one = newTable(engine);
        ClientTable two = newTable(engine);
        two.put("old", bytes("1"));
        long first = client().write(ClientBatch.in(database())
                .put(one.name(), "a", bytes("1"))
                .put(two.name(), "b", bytes("2"))
                .put(two.name(), "c", new byte[0])
                .remove(two.name(), "old")
                .put(one.name(), "a", bytes("3"))
                .check(two.name(), "old", ClientCondition.valueIs(bytes("1")))
                .check(one.name(), "a", ClientCondition.absent()));
        assertArrayEquals(bytes("3"), one.get("a"));
        assertArrayEquals(bytes("2"), two.get("b"));
        assertArrayEquals(new byte[0], two.get("c"));
        assertFalse(two.contains("old"));
        long second = client().write(ClientBatch.in(database()).put(one.name(), "d", bytes("4")));
        assertTrue(second > first, () -> second + " does not come after " + first);
    }

    /** A merge sees the changes before it; one that is refused applies nothing. */
    @OnBothEngines
    default void a_batch_has_merges(String engine) {
        ClientTable one = newTable(engine);
        ClientTable two = newTable(engine);
        two.put("list", bytes("a"));
        client().write(ClientBatch.in(database())
                .put(one.name(), "n", bytes("10"))
                .add(one.name(), "n", 5)
                .add(two.name(), "n", -1)
                .append(two.name(), "list", bytes("bcd"))
                .patch(two.name(), "list", 1, bytes("B"))
                .remove(one.name(), "gone"));
        assertArrayEquals(bytes("15"), one.get("n"));
        assertArrayEquals(bytes("-1"), two.get("n"));
        assertArrayEquals(bytes("aBcd"), two.get("list"));
        ClientBatch refused = ClientBatch.in(database())
                .add(one.name(), "n", 1)
                .append(one.name(), "list", new byte[0])
                .add(two.name(), "list", 1);
        fails(InvalidRequestException.class, ErrorCode.INVALID_REQUEST, () -> client().write(refused));
        assertArrayEquals(bytes("15"), one.get("n"));
        assertFalse(one.contains("list"));
    }

    /** A failed check is told with its place, and nothing is applied. */
    @OnBothEngines
    default void a_failed_check_applies_nothing(String engine) {
        ClientTable one = newTable(engine);
        ClientTable two = newTable(engine);
        one.put("a", bytes("1"));
        ClientBatch batch = ClientBatch.in(database())
                .put(one.name(), "b", bytes("2"))
                .remove(one.name(), "a")
                .put(two.name(), "c", bytes("3"))
                .check(one.name(), "a", ClientCondition.exists())
                .check(one.name(), "a", ClientCondition.valueIs(bytes("other")))
                .check(two.name(), "c", ClientCondition.exists());
        ConditionFailedException failure =
                fails(ConditionFailedException.class, ErrorCode.CONDITION_FAILED, () -> client().write(batch));
        assertEquals(1, failure.failedCheck());
        assertEquals(Outcome.FAILED, failure.outcome());
        assertFalse(failure.isRetryable());
        assertArrayEquals(bytes("1"), one.get("a"));
        assertNull(one.get("b"));
        assertEquals(0, two.count());
    }

    /** A batch names a table that is not there. */
    @OnBothEngines
    default void a_batch_with_an_unknown_table_applies_nothing(String engine) {
        ClientTable table = newTable(engine);
        ClientBatch batch =
                ClientBatch.in(database()).put(table.name(), "a", bytes("1")).put("missing", "b", bytes("2"));
        fails(NotFoundException.class, ErrorCode.TABLE_NOT_FOUND, () -> client().write(batch));
        assertEquals(0, table.count());
    }

    /** A batch without anything is nothing; one that only checks is refused. */
    @OnBothEngines
    default void a_batch_has_changes(String engine) {
        ClientTable table = newTable(engine);
        assertEquals(0, client().write(ClientBatch.in(database())));
        ClientBatch checks = ClientBatch.in(database()).check(table.name(), "a", ClientCondition.absent());
        fails(InvalidRequestException.class, ErrorCode.INVALID_REQUEST, () -> client().write(checks));
    }
}
