package io.kvstore.lsm.compaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.lsm.entry.EntryCursor;
import io.kvstore.lsm.entry.EntryKind;
import io.kvstore.lsm.entry.KeyBuffer;
import io.kvstore.testkit.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Every view that may be open sees the same before and after a merge, and nothing is kept without need. */
final class RetentionTest {

    private record Entry(int key, long lsn, boolean tombstone) {}

    private static final class At implements EntryCursor {

        private final Entry entry;
        private final KeyBuffer key = new KeyBuffer();

        At(Entry entry) {
            this.entry = entry;
            key.set(new byte[] {(byte) entry.key()}, 0, 1);
        }

        @Override
        public boolean seek(byte @Nullable [] bound, boolean inclusive) {
            return true;
        }

        @Override
        public boolean advance() {
            return false;
        }

        @Override
        public KeyBuffer key() {
            return key;
        }

        @Override
        public long lsn() {
            return entry.lsn();
        }

        @Override
        public int kind() {
            return entry.tombstone() ? EntryKind.TOMBSTONE : EntryKind.INLINE;
        }

        @Override
        public byte[] valueArray() {
            return new byte[0];
        }

        @Override
        public int valueOffset() {
            return 0;
        }

        @Override
        public int valueLength() {
            return 0;
        }
    }

    @Test
    void views_are_kept_and_garbage_is_not() {
        Seeds.each(1, 300, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            List<Entry> merged = new ArrayList<>();
            List<Entry> below = new ArrayList<>();
            for (int key = 0; key < 6; key++) {
                TreeSet<Long> lsns = new TreeSet<>();
                for (int i = random.nextInt(6); i > 0; i--) {
                    lsns.add(random.nextLong(10, 30));
                }
                for (long lsn : lsns.descendingSet()) {
                    merged.add(new Entry(key, lsn, random.nextBoolean()));
                }
                if (random.nextBoolean()) {
                    below.add(new Entry(key, random.nextLong(1, 10), false));
                }
            }
            long[] snapshots =
                    random.longs(random.nextInt(4), 1, 32).sorted().distinct().toArray();
            List<Entry> kept = keep(merged, below, snapshots);
            for (long view = 1; view < 40; view++) {
                long at = view;
                if (view >= 30 || Arrays.stream(snapshots).anyMatch(open -> open == at)) {
                    for (int key = 0; key < 6; key++) {
                        assertEquals(
                                seen(key, view, merged, below),
                                seen(key, view, kept, below),
                                "key " + key + " at " + view);
                    }
                }
            }
            for (int key = 0; key < 6; key++) {
                int wanted = key;
                long versions =
                        kept.stream().filter(entry -> entry.key() == wanted).count();
                assertEquals(true, versions <= snapshots.length + 1, "too much is kept of key " + key);
            }
        });
    }

    private static List<Entry> keep(List<Entry> merged, List<Entry> below, long[] snapshots) {
        Retention retention = new Retention(snapshots, key -> below.stream().anyMatch(entry -> entry.key() == key[0]));
        return merged.stream().filter(entry -> retention.keeps(new At(entry))).toList();
    }

    private static long seen(int key, long view, List<Entry> merged, List<Entry> below) {
        for (List<Entry> place : List.of(merged, below)) {
            for (Entry entry : place) {
                if (entry.key() == key && entry.lsn() <= view) {
                    return entry.tombstone() ? 0 : entry.lsn();
                }
            }
        }
        return 0;
    }

    /** To look at each of them for each entry would take longer than a test may. */
    @Test
    void every_version_between_two_of_a_million_snapshots_is_kept() {
        long[] snapshots = LongStream.range(1, 1_000_000).map(i -> 2 * i).toArray();
        Retention retention = new Retention(snapshots, key -> false);
        for (long lsn = 2L * snapshots.length + 1; lsn > 1; lsn -= 4) {
            assertTrue(retention.keeps(new At(new Entry(1, lsn, false))), "lsn " + lsn);
            boolean isNewest = lsn > 2L * snapshots.length;
            assertEquals(isNewest ? 0 : lsn + 3, retention.keptLsn(), "lsn " + lsn);
        }
    }

    @Test
    void tombstone_goes_as_soon_as_it_hides_nothing() {
        List<Entry> deleted = List.of(new Entry(1, 9, true), new Entry(1, 5, false));
        assertEquals(List.of(), keep(deleted, List.of(), new long[0]));
        assertEquals(List.of(), keep(deleted, List.of(), new long[] {9}));
        assertEquals(deleted, keep(deleted, List.of(), new long[] {8}));
        assertEquals(List.of(deleted.get(0)), keep(deleted, List.of(), new long[] {4}));
        assertEquals(List.of(deleted.get(0)), keep(deleted, List.of(new Entry(1, 2, false)), new long[0]));
    }
}
