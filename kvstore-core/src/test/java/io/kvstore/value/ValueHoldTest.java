package io.kvstore.value;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Mutation;
import io.kvstore.engine.FileHold;
import io.kvstore.engine.FileLease;
import io.kvstore.engine.HeldFile;
import io.kvstore.engine.TableContext;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.testkit.LoneTable;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import io.kvstore.value.segment.ValueSegmentList;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a value store knows of the holds of its segments. */
final class ValueHoldTest {

    private static final int SEGMENT_BYTES = 8 << 10;
    private static final ValueStore.Sizes SIZES = new ValueStore.Sizes(SEGMENT_BYTES, SEGMENT_BYTES);

    private final SimStorage disk = new SimStorage();
    private final StepClock clock = new StepClock();
    private TableContext context;
    private ValueStore store;

    @BeforeEach
    void open() throws IOException {
        disk.createDirectory("t");
        disk.syncDirectory("");
        context = LoneTable.on(disk, new MemoryBudget(1 << 20, 1 << 20), clock, new StepBackground(clock));
        store = ValueStore.open(context, SIZES, ValueSegmentList.EMPTY);
    }

    @AfterEach
    void close() throws IOException {
        store.close();
    }

    private ValueSegmentList commit() throws IOException {
        ValueSegmentList list = store.capture(Map.of());
        store.persist(list);
        store.committed(store.lease(list));
        return list;
    }

    private FileHold hold(ValueSegmentList list) {
        return store.hold(context, list).with(1, HeldFile.of("index", new byte[1]));
    }

    @Test
    void a_hold_of_no_segment_leaves_nothing() {
        for (int i = 0; i < 3; i++) {
            hold(ValueSegmentList.EMPTY).close();
        }
        assertEquals(0, store.openHolds());
    }

    @Test
    void a_hold_ends_with_its_last_segment() throws IOException {
        for (int i = 0; i < 10; i++) {
            byte[] key = ("key " + i).getBytes(StandardCharsets.UTF_8);
            byte[] value = new byte[2_000];
            store.log().reserve(List.of(new Mutation.Put(key, value)), 0);
            store.append(key, i, value);
        }
        FileHold hold = hold(commit());
        assertTrue(hold.files().size() > 2, "one segment is no case");
        for (HeldFile file : hold.files()) {
            assertEquals(file.name().equals("index") ? 0 : 1, store.openHolds());
            FileLease lease = file.lease();
            lease.giveBack();
            lease.giveBack();
        }
        hold.close();
        assertEquals(0, store.openHolds());
    }
}
