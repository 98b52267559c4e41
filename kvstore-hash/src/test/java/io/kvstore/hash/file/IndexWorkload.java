package io.kvstore.hash.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.io.Storage;
import io.kvstore.value.segment.ValueSegmentInfo;
import io.kvstore.value.segment.ValueSegmentList;
import io.kvstore.value.segment.ValueSegmentUse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Writes made-up states to an index file, and says which of them a file may have. */
final class IndexWorkload {

    private static final int DEPTH = 2;
    private static final int PAGE_SHIFT = Integer.SIZE - DEPTH;

    final IndexTable table = new IndexTable();

    private final SplittableRandom random;

    /** The state of each commit that was begun, by lsn. */
    private final Map<Long, Map<Long, Integer>> states = new HashMap<>();

    private final Map<Long, Integer> now = new TreeMap<>();

    /** Changes that were made since the last one that was written. */
    private final List<Change> waiting = new ArrayList<>();

    private long words;
    private long lastLsn;
    private long underWay;
    private long returned;
    private int most = 6;

    private record Change(int hash, long old, long added) {}

    IndexWorkload(long seed) {
        random = new SplittableRandom(seed);
        states.put(0L, Map.of());
    }

    /** Lets a step make up to so many changes. */
    void setMost(int changes) {
        most = changes;
    }

    /** The lsn of the last commit that returned. */
    long returned() {
        return returned;
    }

    Map<Long, Integer> now() {
        return now;
    }

    /** Adds, replaces and removes words. */
    void change(int count) {
        for (int i = 0; i < count; i++) {
            List<Long> all = new ArrayList<>(now.keySet());
            long old = all.isEmpty() || random.nextInt(2) == 0 ? 0 : all.get(random.nextInt(all.size()));
            int hash = old == 0 ? random.nextInt() : Objects.requireNonNull(now.remove(old));
            boolean isRemoved = old != 0 && random.nextInt(3) == 0;
            long added = isRemoved ? 0 : ++words;
            if (added != 0) {
                now.put(added, hash);
            }
            waiting.add(new Change(hash, old, added));
        }
    }

    /** One of all that may be done. */
    void step(IndexFile file) throws IOException {
        change(random.nextInt(most + 1));
        switch (random.nextInt(8)) {
            case 0 -> write(file);
            case 1 -> rewrite(file, false);
            case 2, 3 -> rewrite(file, true);
            default -> commit(file);
        }
    }

    /** Writes the changes that wait. */
    void write(IndexFile file) throws IOException {
        Arrays all = new Arrays(waiting, 1);
        file.changes(all.hashes, all.olds, all.news, 1, all.hashes.length);
        waiting.clear();
    }

    void commit(IndexFile file) throws IOException {
        write(file);
        long lsn = begin();
        file.commit(lsn, now.size(), segments(lsn));
        returned = lsn;
    }

    private long begin() {
        lastLsn++;
        underWay = lastLsn;
        states.put(lastLsn, new TreeMap<>(now));
        return lastLsn;
    }

    /** Writes pages in any order, with changes between them. */
    void rewrite(IndexFile file, boolean commits) throws IOException {
        int first = waiting.size();
        try (IndexFile.Rewrite rewrite = file.rewrite()) {
            int start = random.nextInt(1 << DEPTH);
            for (int i = 0; i < 1 << DEPTH; i++) {
                image(rewrite, start ^ i);
                change(random.nextInt(3));
                if (random.nextInt(4) == 0) {
                    first = changes(rewrite, first);
                }
            }
            changes(rewrite, first);
            if (commits) {
                long lsn = begin();
                rewrite.commit(lsn, now.size(), segments(lsn));
                returned = lsn;
                waiting.clear();
            }
        }
    }

    private int changes(IndexFile.Rewrite rewrite, int first) throws IOException {
        Arrays since = new Arrays(waiting.subList(first, waiting.size()), 0);
        rewrite.changes(since.hashes, since.olds, since.news, 0, since.hashes.length);
        return waiting.size();
    }

    private void image(IndexFile.Rewrite rewrite, int page) throws IOException {
        List<Change> entries = new ArrayList<>();
        now.forEach((word, hash) -> {
            if (hash >>> PAGE_SHIFT == page) {
                entries.add(new Change(hash, 0, word));
            }
        });
        Arrays all = new Arrays(entries, 0);
        rewrite.image(page << PAGE_SHIFT, DEPTH, all.hashes, all.news, entries.size());
    }

    /** Goes on with the state of the last commit that returned, as after a crash. */
    void forget() {
        now.clear();
        now.putAll(Objects.requireNonNull(states.get(returned)));
        waiting.clear();
        giveUp();
    }

    /** A commit that was refused must not be found any more. */
    void giveUp() {
        underWay = returned;
    }

    static ValueSegmentList segments(long lsn) {
        List<ValueSegmentUse> uses = new ArrayList<>();
        for (long i = 0; i < lsn % 4; i++) {
            uses.add(new ValueSegmentUse(new ValueSegmentInfo(lsn + i, 1_000 + lsn, 1 + i), 100 + lsn));
        }
        return new ValueSegmentList(lsn + 5, List.copyOf(uses));
    }

    /** The file must have the state of the last commit that returned, or that of the one under way. Returns its lsn. */
    long check(Storage storage) throws IOException {
        try (IndexFile file = table.open(storage)) {
            return check(file);
        }
    }

    long check(IndexFile file) throws IOException {
        IndexCommit found = file.committed();
        assertTrue(
                found.lsn() == returned || found.lsn() == underWay,
                () -> "commit " + found.lsn() + " where " + returned + " returned and " + underWay + " was begun");
        checkState(file);
        return found.lsn();
    }

    /** The file must have the state of its commit as a whole. */
    void checkState(IndexFile file) throws IOException {
        IndexCommit found = file.committed();
        IndexModel model = new IndexModel();
        file.load(model);
        assertEquals(states.get(found.lsn()), model.words());
        assertEquals(model.words().size(), found.entries());
        assertEquals(found.lsn() == 0 ? ValueSegmentList.EMPTY : segments(found.lsn()), found.segments());
    }

    private static final class Arrays {

        private final int[] hashes;
        private final long[] olds;
        private final long[] news;

        /** @param unused the first elements, which are not to be written */
        Arrays(List<Change> changes, int unused) {
            int length = unused + changes.size();
            hashes = new int[length];
            olds = new long[length];
            news = new long[length];
            for (int i = unused; i < length; i++) {
                Change change = changes.get(i - unused);
                hashes[i] = change.hash;
                olds[i] = change.old;
                news[i] = change.added;
            }
        }
    }
}
