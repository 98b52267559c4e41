package io.kvstore.lsm;

import io.kvstore.engine.BackgroundTask;
import io.kvstore.engine.HintCounter;
import io.kvstore.engine.TableContext;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.Notices;
import io.kvstore.lsm.compaction.TableParts;
import io.kvstore.lsm.entry.EntryCursor;
import io.kvstore.lsm.entry.EntryKind;
import io.kvstore.lsm.entry.KeyBuffer;
import io.kvstore.lsm.version.Version;
import io.kvstore.lsm.version.VersionHistory;
import io.kvstore.memory.UnusedMemory;
import io.kvstore.value.index.HashIndex;
import io.kvstore.value.segment.ValuePointer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Makes and fills the hash index in the background. The index is made when many gets had to search, and it grows with the
 * table, after writes. Long values that were put before the index was made, or before it grew, are offered to it by a walk
 * over all entries in the order of keys. The walk begins when many gets had to search for keys that the index does not
 * know. At most one of these jobs runs at a time.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A pointer that is offered to the index belongs to the newest version of its key. It was the newest in the version
 *       that is walked over. Any newer version of the key would be in a memtable, because the version's active memtable has
 *       not been flushed, and no memtable has one. Both conditions are checked while no operation is under way.
 *   <li>An offer changes no entry that the index has, and evicts no other key.
 * </ol>
 */
final class IndexFill implements UnusedMemory, AutoCloseable {

    /** After this number of gets that had to search, or after as many as there are entries, a walk is considered. */
    private static final int MANY_SEARCHED = 1 << 14;

    private static final int SEARCHED_CHECK = 1 << 6;

    private static final int GROWTH_CHECK_ENTRIES = 1 << 12;

    /** Keys offered at a time. Writers wait as long as that takes. */
    private static final int CHUNK_KEYS = 64;

    private static final int READ_AHEAD_BYTES = 256 << 10;
    private static final long LOOK_AGAIN_NANOS = 20_000;

    private final TableContext context;
    private final VersionHistory versions;
    private final HashIndex known;
    private final long memTableBytes;
    private final MemTables memTables;
    private final BackgroundTask filling;

    /** Whether the next run also fills the index. */
    private volatile boolean fillWanted;

    private final HintCounter searched = new HintCounter();

    /**
     * The growth check is due when the active memtable has this number of entries, or is another one. Changed by all
     * writers without a lock.
     */
    private long growthCheckAt;

    /**
     * Whether the index gave its memory back to others. Then it may be made again even where less than half of the budget
     * is left.
     */
    private volatile boolean isGivenBack;

    // of the last walk
    private volatile long walkedEntries;
    private volatile long walkedBytes;

    private record Found(byte[] key, long lsn, ValuePointer pointer) {}

    IndexFill(TableParts parts, MemTables memTables) {
        this.context = parts.context();
        this.filling = new BackgroundTask(
                context.background().longWork(), context.background().waiter(), this::run);
        this.versions = parts.versions();
        this.known = parts.apart().known();
        this.memTableBytes = parts.options().memTableBytes();
        this.memTables = memTables;
        context.memory().add(this);
    }

    /**
     * Called before a write. Once in a while it checks whether the index is too small for the number of keys. The index
     * does not shrink by itself, so half of the store's memory stays for others. Reads only counters on the heap.
     */
    void considerGrowth() {
        Version version = versions.current();
        long entries = version.active().entries();
        boolean isNew = entries + GROWTH_CHECK_ENTRIES <= growthCheckAt;
        if ((isNew || entries >= growthCheckAt) && version.hasLongValues()) {
            growthCheckAt = entries + GROWTH_CHECK_ENTRIES;
            if (known.wantsMore(version.entries()) && leavesHalf()) {
                filling.request();
            }
        }
    }

    private boolean leavesHalf() {
        return context.memory().usedBytes() + memTableBytes <= context.memory().totalBytes() / 2;
    }

    /** Notes that a get had to search for a long value. Called within the caller's epoch. */
    void searched(Version version) {
        searched.increment();
        long many = searched.get();
        if (many % SEARCHED_CHECK == 0 && many >= Math.min(MANY_SEARCHED, version.entries())) {
            searched.reset();
            if (isDue(version.entries())) {
                fillWanted = true;
                filling.request();
            }
        }
    }

    /** Whether a walk is worth it. Another walk does not help before there are many more entries, or more room for them. */
    private boolean isDue(long entries) {
        boolean missesAll = !known.isAskedFor() || known.bytes() == 0;
        boolean missesSome = missesAll || known.missesSome(entries) || known.wantsMore(entries);
        return missesSome && (entries > 2 * walkedEntries || known.bytes() > walkedBytes);
    }

    private void run() {
        boolean fills = fillWanted;
        fillWanted = false;
        try {
            long entries = versions.current().entries();
            if (fills) {
                known.askFor();
            }
            if (!filling.isClosed() && known.prepare(entries, isGivenBack || leavesHalf())) {
                betweenOperations(known::grow);
            }
            byte @Nullable [] from = fills && known.bytes() > 0 ? new byte[0] : null;
            while (from != null && !filling.isClosed()) {
                from = walk(from);
            }
        } catch (IOException | KVStoreException e) {
            Notices.warning(IndexFill.class, context.directory(), "the index of values was not filled", e);
        } finally {
            fillWanted &= !fills; // gets asked for it all the time while it was filled
            walkedBytes = fills ? known.bytes() : walkedBytes;
            isGivenBack &= known.bytes() == 0;
        }
    }

    /**
     * Walks over the current version from a key on. Returns null at the end, or, when the version has become too old, the
     * key to go on from.
     */
    private byte @Nullable [] walk(byte[] from) throws IOException {
        Version version = versions.pin();
        try {
            walkedEntries = version.entries();
            EntryCursor entries = version.cursor(false, READ_AHEAD_BYTES);
            KeyBuffer last = new KeyBuffer();
            List<Found> chunk = new ArrayList<>(CHUNK_KEYS);
            byte[] begin = from;
            boolean isFirst = true;
            for (boolean more = entries.seek(from, true); more && !filling.isClosed(); more = entries.advance()) {
                if (!isFirst && entries.key().holds(last)) {
                    continue; // an older version of the same key
                }
                isFirst = false;
                last.set(entries.key());
                if (chunk.size() == CHUNK_KEYS) {
                    if (!tell(chunk, version)) {
                        return begin;
                    }
                    chunk.clear();
                    begin = last.toArray();
                }
                if (entries.kind() == EntryKind.VALUE_POINTER) {
                    chunk.add(new Found(last.toArray(), entries.lsn(), entries.pointer()));
                }
            }
            return tell(chunk, version) ? null : begin;
        } finally {
            version.release();
        }
    }

    /** Offers a chunk to the index. Returns false if the version is too old to know which entries are the newest. */
    private boolean tell(List<Found> chunk, Version version) {
        boolean[] told = new boolean[1];
        betweenOperations(() -> {
            int ticket = context.epochs().enter();
            try {
                Version current = versions.current();
                told[0] = current.hasMemTable(version.active());
                for (int i = 0; told[0] && i < chunk.size(); i++) {
                    Found found = chunk.get(i);
                    if (current.newestInMemory(found.key) <= found.lsn) {
                        known.offer(found.key, found.pointer);
                    }
                }
            } finally {
                context.epochs().exit(ticket);
            }
        });
        return told[0];
    }

    private void betweenOperations(Runnable work) {
        while (!filling.isClosed() && !memTables.tryBetweenOperations(work)) {
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        }
    }

    @Override
    public boolean isUnused() {
        return known.isUnused();
    }

    @Override
    public Given giveBackAny(long wantedBytes) {
        Given[] given = {Given.NONE};
        if (known.hasMemory()) {
            boolean _ = filling.runInstead(() -> {
                boolean _ = memTables.tryBetweenOperations(() -> given[0] = known.giveBack());
                if (given[0].bytes() > 0) {
                    isGivenBack = true;
                    walkedEntries = 0;
                    walkedBytes = 0;
                }
            });
        }
        return given[0];
    }

    /** Stops the job that is under way, and returns when it has ended. */
    @Override
    public void close() {
        context.memory().remove(this);
        filling.close();
    }
}
