package io.kvstore.server.thrift;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.thrift.Batch;
import io.kvstore.thrift.GetResult;
import io.kvstore.thrift.KeyRange;
import io.kvstore.thrift.Merge;
import io.kvstore.thrift.Mutation;
import io.kvstore.thrift.Operation;
import io.kvstore.thrift.OperationKind;
import io.kvstore.thrift.OperationRequest;
import io.kvstore.thrift.OperationState;
import io.kvstore.thrift.ReadOptions;
import io.kvstore.thrift.Stats;
import io.kvstore.thrift.TableInfo;
import io.kvstore.thrift.TableName;
import io.kvstore.thrift.WriteOptions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A table of the engine HASH over Thrift. {@link OwnOrderTest} scans one. */
@NullUnmarked // What a generated getter gives may be null; that fails the test as well.
final class HashTableTest extends ServiceCalls {

    private static final TableName HASH = new TableName("d", "h");
    private static final ReadOptions NEWEST = new ReadOptions();
    private static final WriteOptions DEFAULT = new WriteOptions();

    @BeforeEach
    void create() throws Exception {
        TableInfo made = client().createTable(HASH, "hash", Map.of());
        assertEquals("hash", made.getEngine());
        assertTrue(made.isSetOrdered());
        assertFalse(made.isOrdered());
    }

    private void holds(String key, String value) throws Exception {
        GetResult result = client().get(HASH, bytes(key), NEWEST);
        assertEquals(value, new String(result.getValue(), UTF_8));
    }

    @Test
    void the_server_names_the_engine() throws Exception {
        List<String> engines = client().serverInfo().getEngines();
        assertTrue(engines.containsAll(List.of("bplus", "hash", "lsm")), engines::toString);
    }

    @Test
    void values_come_and_go_and_stay_over_a_restart() throws Exception {
        assertFalse(client().get(HASH, bytes("k"), NEWEST).isSetValue());
        client().put(HASH, bytes("k"), bytes("one"), DEFAULT);
        client().put(HASH, bytes("k"), bytes("two"), DEFAULT);
        holds("k", "two");
        assertTrue(client().contains(HASH, bytes("k"), NEWEST));
        client().remove(HASH, bytes("k"), DEFAULT);
        assertFalse(client().contains(HASH, bytes("k"), NEWEST));
        assertEquals(5, client().add(HASH, bytes("sum"), 5, DEFAULT));
        client().writeMerges(
                        new Batch(
                                HASH,
                                List.of(
                                        new Mutation(bytes("a")).setValue(bytes("1")),
                                        new Mutation(bytes("none")),
                                        new Mutation(bytes("sum")).setMerge(new Merge().setAdd(-7)))),
                        DEFAULT);
        restart();
        holds("a", "1");
        holds("sum", "-2");
        List<GetResult> results = client().multiGet(HASH, List.of(bytes("k"), bytes("a")), NEWEST);
        assertFalse(results.getFirst().isSetValue());
        assertTrue(results.getLast().isSetValue());
        assertEquals(2, client().countKeys(HASH, new KeyRange(), NEWEST));
    }

    @Test
    void a_snapshot_sees_the_past_and_nothing_is_damaged() throws Exception {
        client().put(HASH, bytes("k"), bytes("old"), DEFAULT);
        ReadOptions past =
                new ReadOptions().setSnapshotId(client().openSnapshot(0).getSnapshotId());
        client().put(HASH, bytes("k"), bytes("new"), DEFAULT);
        client().put(HASH, bytes("other"), bytes("new"), DEFAULT);
        assertEquals("old", new String(client().get(HASH, bytes("k"), past).getValue(), UTF_8));
        assertEquals(1, client().countKeys(HASH, new KeyRange(), past));
        Stats stats = client().tableStats(HASH);
        assertTrue(stats.toString().contains("index_bytes"), stats::toString);
        long id = client().startOperation(new OperationRequest(OperationKind.VERIFY).setTable(HASH))
                .getOperationId();
        Operation verified = client().operation(id);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (verified.getState() == OperationState.RUNNING && System.nanoTime() - end < 0) {
            Thread.onSpinWait();
            verified = client().operation(id);
        }
        assertEquals(OperationState.DONE, verified.getState(), verified::toString);
        assertEquals(0, verified.getFindingsTotal(), verified::toString);
    }
}
