package io.kvstore.client.contract;

import static io.kvstore.client.contract.Stage.bytes;
import static io.kvstore.client.contract.Stage.fails;
import static io.kvstore.client.contract.Stage.key;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.client.ClientRange;
import io.kvstore.client.ClientSnapshot;
import io.kvstore.client.ClientTable;
import io.kvstore.client.ScanOptions;
import io.kvstore.client.TableReader;
import io.kvstore.client.TaggedValue;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.InvalidRequestException;
import io.kvstore.client.error.SnapshotExpiredException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Snapshots: one moment of all tables. */
public interface SnapshotScenarios extends Stage {

    /** A snapshot sees what was there when it was opened. */
    @OnBothEngines
    default void a_snapshot_sees_the_old_state(String engine) {
        ClientTable table = newTable(engine);
        fill(table, 1_100);
        try (ClientSnapshot snapshot = client().snapshot()) {
            assertEquals(60_000, snapshot.leaseMillis());
            table.put(key(1), bytes("new"));
            table.remove(key(2));
            table.put("z", bytes("new"));
            TableReader old = snapshot.table(database(), table.name());
            assertEquals(database(), old.database());
            assertEquals(table.name(), old.name());
            assertArrayEquals(bytes("vk00001"), old.get(key(1)));
            assertTrue(old.contains(key(2)));
            assertFalse(old.contains("z"));
            assertNull(old.get("z"));
            TaggedValue tagged = old.getTagged(key(1));
            assertNotNull(tagged);
            assertArrayEquals(bytes("vk00001"), tagged.value());
            List<byte @Nullable []> values = old.getAll(key(2), "z");
            assertArrayEquals(bytes("vk00002"), values.get(0));
            assertNull(values.get(1));
            assertEquals(1_100, old.count());
            assertEquals(5, old.count(ClientRange.between(key(0), key(5))));
            assertEquals(ScanScenarios.numbered(0, 1_100), ScanScenarios.keys(old, ScanOptions.all()));
            assertArrayEquals(bytes("new"), table.get(key(1)));
            assertEquals(1_100, table.count());
        }
    }

    /** Whole batches only, of all tables. */
    @OnBothEngines
    default void snapshots_are_apart(String engine) {
        ClientTable table = newTable(engine);
        table.put("a", bytes("1"));
        try (ClientSnapshot first = client().snapshot(5_000)) {
            assertEquals(5_000, first.leaseMillis());
            table.put("a", bytes("2"));
            try (ClientSnapshot second = client().snapshot()) {
                table.put("a", bytes("3"));
                assertArrayEquals(
                        bytes("1"), first.table(database(), table.name()).get("a"));
                assertArrayEquals(
                        bytes("2"), second.table(database(), table.name()).get("a"));
            }
            assertArrayEquals(bytes("1"), first.table(database(), table.name()).get("a"));
        }
    }

    /** A closed snapshot is over. */
    @OnBothEngines
    default void a_closed_snapshot_is_over(String engine) {
        ClientTable table = newTable(engine);
        fill(table, 10);
        ClientSnapshot snapshot = client().snapshot();
        TableReader reader = snapshot.table(database(), table.name());
        assertTrue(reader.contains(key(1)));
        snapshot.close();
        snapshot.close();
        fails(SnapshotExpiredException.class, ErrorCode.SNAPSHOT_EXPIRED, () -> reader.get(key(1)));
        fails(SnapshotExpiredException.class, ErrorCode.SNAPSHOT_EXPIRED, () -> reader.contains(key(1)));
        fails(SnapshotExpiredException.class, ErrorCode.SNAPSHOT_EXPIRED, () -> reader.getAll(key(1)));
        fails(SnapshotExpiredException.class, ErrorCode.SNAPSHOT_EXPIRED, reader::count);
        fails(
                SnapshotExpiredException.class,
                ErrorCode.SNAPSHOT_EXPIRED,
                () -> reader.scan().iterator().hasNext());
        assertTrue(table.contains(key(1)));
        assertThrows(InvalidRequestException.class, () -> client().snapshot(1));
    }
}
