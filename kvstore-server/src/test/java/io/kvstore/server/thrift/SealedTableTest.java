package io.kvstore.server.thrift;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.TableFileBuilder;
import io.kvstore.thrift.Batch;
import io.kvstore.thrift.ErrorCode;
import io.kvstore.thrift.KeyRange;
import io.kvstore.thrift.Mutation;
import io.kvstore.thrift.ReadOptions;
import io.kvstore.thrift.TableName;
import io.kvstore.thrift.WriteOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** A table of the engine SEALED over Thrift: it is read as any other, and takes no writes. */
@NullUnmarked // What a generated getter gives may be null; that fails the test as well.
final class SealedTableTest extends ServiceCalls {

    private static final TableName SEALED = new TableName("d", "s");
    private static final ReadOptions NEWEST = new ReadOptions();
    private static final WriteOptions DEFAULT = new WriteOptions();

    @TempDir
    private Path files;

    @BeforeEach
    void create() throws Exception {
        assertTrue(client().createTable(SEALED, "sealed", Map.of()).isOrdered());
    }

    private void swap(String value) {
        Path file = files.resolve(value + ".sealed");
        try (TableFileBuilder builder = TableFileBuilder.create(file)) {
            for (int i = 0; i < 100; i++) {
                builder.put("key" + i, (value + i).getBytes(UTF_8));
            }
            builder.finish();
        }
        server().store().table("d", "s").files().swap(file);
    }

    private void holds(String value) throws Exception {
        assertEquals(
                value + 7,
                new String(client().get(SEALED, bytes("key7"), NEWEST).getValue(), UTF_8));
    }

    @Test
    void a_table_is_read_through_swaps_and_a_restart() throws Exception {
        assertFalse(client().get(SEALED, bytes("key7"), NEWEST).isSetValue());
        swap("one");
        holds("one");
        ReadOptions past =
                new ReadOptions().setSnapshotId(client().openSnapshot(0).getSnapshotId());
        swap("two");
        holds("two");
        assertEquals(
                "one7", new String(client().get(SEALED, bytes("key7"), past).getValue(), UTF_8));
        assertEquals(100, client().countKeys(SEALED, new KeyRange(), NEWEST));
        assertTrue(client().contains(SEALED, bytes("key99"), NEWEST));
        assertTrue(client().tableStats(SEALED).toString().contains("mapped_bytes"));
        restart();
        holds("two");
    }

    @Test
    void writes_are_refused_with_the_remedy() throws Exception {
        swap("one");
        Batch batch = new Batch(SEALED, List.of(new Mutation(bytes("a")).setValue(bytes("1"))));
        List<Executable> writes = List.of(
                () -> client().put(SEALED, bytes("a"), bytes("1"), DEFAULT),
                () -> client().remove(SEALED, bytes("key7"), DEFAULT),
                () -> client().add(SEALED, bytes("key7"), 1, DEFAULT),
                () -> client().writeMerges(batch, DEFAULT));
        for (Executable write : writes) {
            String message = fails(ErrorCode.INVALID_REQUEST, write).getMessage();
            assertTrue(message.startsWith("table s is a SEALED table, which takes no writes: build a file"), message);
        }
        holds("one");
    }
}
