package io.kvstore.bplus;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bplus.file.PageStore;
import io.kvstore.data.Entry;
import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import io.kvstore.engine.EngineCursor;
import io.kvstore.engine.Findings;
import io.kvstore.io.Storage;
import io.kvstore.testkit.EngineHarness;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.Measures;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.Sweeps;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Snapshots and cursors see what they should, whatever is merged into the tree meanwhile. */
@Tag("races")
final class BPlusViewsTest {

    private static final int ROUNDS = Sweeps.count(100, 200);
    private static final int STEPS = Sweeps.count(3_000, 6_000);
    private static final Map<String, ?> SMALL =
            Map.of("BTREE_ORDER", 8, "BTREE_PAGE_BUFFER_SIZE_BYTES", 64 << 10, "VALUE_THRESHOLD_BYTES", 100);

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static byte[] value(int number, int bytes) {
        return ByteBuffer.allocate(Math.max(bytes, Integer.BYTES))
                .putInt(number)
                .array();
    }

    private static void writeSome(EngineHarness table, SplittableRandom random, int keys) throws IOException {
        List<Mutation> batch = new ArrayList<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            byte[] key = key(random.nextInt(keys));
            boolean removes = random.nextInt(4) == 0;
            batch.add(
                    removes
                            ? new Mutation.Remove(key)
                            : new Mutation.Put(key, value(random.nextInt(), random.nextInt(200))));
        }
        table.write(batch);
    }

    private static void assertWhole(EngineHarness table) throws IOException {
        Findings findings = new Findings();
        table.engine().verify(findings);
        assertEquals(0, findings.total(), findings::toString);
    }

    /** Whenever a merge reads a page, snapshots are opened and looked at, before and after it goes on. */
    @Test
    void views_in_the_middle_of_merges() throws IOException {
        SplittableRandom random = new SplittableRandom(11);
        AtomicReference<@Nullable Runnable> atRead = new AtomicReference<>();
        Storage storage = HookedStorage.over(new SimStorage(), (name, path, proceed) -> {
            Runnable work = path.endsWith(PageStore.NAME) && name.startsWith("read") ? atRead.getAndSet(null) : null;
            if (work != null) {
                work.run();
            }
            return proceed.call();
        });
        List<EngineHarness.Snap> open = new ArrayList<>();
        int middles = 0;
        try (EngineHarness table = EngineHarness.create(new BPlusEngineProvider(), SMALL, storage)) {
            for (int round = 0; round < ROUNDS; round++) {
                for (int i = random.nextInt(60); i >= 0; i--) {
                    writeSome(table, random, 800);
                }
                if (random.nextInt(3) == 0) {
                    open.add(table.openSnapshot());
                }
                atRead.set(() -> open.add(checkedSnapshot(table)));
                int before = open.size();
                if (random.nextBoolean()) {
                    table.engine().checkpoint();
                } else {
                    table.background().tick(1_100);
                }
                middles += open.size() - before;
                atRead.set(null);
                if (open.size() > 4) {
                    EngineHarness.Snap one = open.remove(random.nextInt(open.size()));
                    table.check(one);
                    table.close(one);
                }
            }
            assertTrue(middles > ROUNDS / 2, middles + " snapshots in the middle of merges");
            for (EngineHarness.Snap one : open) {
                table.check(one);
                table.close(one);
            }
            table.check();
            assertWhole(table);
        }
    }

    private static EngineHarness.Snap checkedSnapshot(EngineHarness table) {
        try {
            EngineHarness.Snap snapshot = table.openSnapshot();
            table.check(snapshot);
            return snapshot;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Cursors in both directions go on while everything below them changes, and rest between their steps. */
    @Test
    void cursors_that_rest_while_others_write_and_merge() throws IOException {
        SplittableRandom random = new SplittableRandom(5);
        try (EngineHarness table = EngineHarness.create(new BPlusEngineProvider(), SMALL)) {
            List<Walk> walks = new ArrayList<>();
            for (int i = 0; i < STEPS; i++) {
                writeSome(table, random, 400);
                if (random.nextInt(60) == 0) {
                    walks.add(new Walk(table, random));
                }
                if (!walks.isEmpty() && random.nextInt(3) == 0) {
                    int at = random.nextInt(walks.size());
                    if (!walks.get(at).step()) {
                        walks.remove(at);
                    }
                }
                if (random.nextInt(90) == 0) {
                    table.engine().checkpoint();
                }
                if (random.nextInt(90) == 0) {
                    table.background().runAll();
                }
            }
            for (Walk walk : walks) {
                while (walk.step()) {
                    assertFalse(walk.isEnded());
                }
            }
            table.check();
            assertWhole(table);
        }
    }

    /** A cursor over a part of a snapshot, and what it has to give. */
    private static final class Walk {

        private final EngineHarness table;
        private final SplittableRandom random;
        private final EngineHarness.Snap snapshot;
        private final List<Entry> wanted;
        private final EngineCursor cursor;
        private int at;

        Walk(EngineHarness table, SplittableRandom random) throws IOException {
            this.table = table;
            this.random = random;
            this.snapshot = table.openSnapshot();
            KeyRange range = KeyRange.all();
            if (random.nextBoolean()) {
                range = range.from(key(random.nextInt(200)), random.nextBoolean());
            }
            if (random.nextBoolean()) {
                range = range.to(key(random.nextInt(200, 400)), random.nextBoolean());
            }
            range = random.nextBoolean() ? range.reverse() : range;
            this.wanted = snapshot.model().scan(range);
            this.cursor = table.engine().scan(range, snapshot.view());
        }

        boolean isEnded() {
            return at > wanted.size();
        }

        /** A few entries; false at the end. */
        boolean step() throws IOException {
            if (random.nextInt(4) == 0) {
                cursor.rest(); // perhaps before the first
            }
            for (int i = random.nextInt(30); i >= 0 && !isEnded(); i--) {
                boolean isThere = cursor.next();
                assertEquals(at < wanted.size(), isThere);
                if (isThere) {
                    assertArrayEquals(wanted.get(at).key(), cursor.key());
                    if (random.nextInt(8) == 0) {
                        cursor.rest();
                    }
                    assertArrayEquals(wanted.get(at).value(), cursor.value());
                }
                at++;
            }
            cursor.rest();
            if (isEnded()) {
                cursor.close();
                table.close(snapshot);
            }
            return !isEnded();
        }
    }

    /** A key that was changed very often is passed, and found as it was, without a look at each change. */
    @Test
    void one_key_that_is_changed_all_the_time() throws IOException {
        Map<String, ?> ample = Map.of("BTREE_PAGE_BUFFER_SIZE_BYTES", 64 << 20);
        try (EngineHarness table = EngineHarness.create(new BPlusEngineProvider(), ample)) {
            table.put(key(1), value(1, 10));
            table.put(key(3), value(3, 10));
            EngineHarness.Snap before = table.openSnapshot();
            for (int i = 0; i < 20_000; i++) {
                table.put(key(2), value(i, 10));
                if (i == 10_000) {
                    table.check(before);
                }
            }
            EngineHarness.Snap after = table.openSnapshot();
            table.remove(key(2));
            assertEquals(20_003, Measures.of(table.engine().stats(), "waiting_changes"), "a view had something merged");
            table.check(before);
            table.check(after);
            assertNull(table.engine().get(key(2), before.view()));
            assertArrayEquals(value(19_999, 10), table.engine().get(key(2), after.view()));
            table.engine().checkpoint();
            table.check(before);
            table.check(after);
            table.close(before);
            table.close(after);
            table.check();
        }
    }
}
