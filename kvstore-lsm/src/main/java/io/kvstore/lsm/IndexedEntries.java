package io.kvstore.lsm;

import io.kvstore.data.Pause;
import io.kvstore.engine.BackgroundTask;
import io.kvstore.engine.TableContext;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.Notices;
import io.kvstore.lsm.compaction.TableParts;
import io.kvstore.lsm.entry.EntryCursor;
import io.kvstore.lsm.entry.EntryKind;
import io.kvstore.lsm.entry.KeyBuffer;
import io.kvstore.lsm.version.Version;
import io.kvstore.lsm.version.VersionHistory;
import io.kvstore.value.IndexFiller;
import io.kvstore.value.ValueIndex;
import io.kvstore.value.segment.ValuePointer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The entries of an LSM table that its hash index is told of: pointers to long values that were put before the index was made,
 * or before it grew. The walk goes over all entries in the order of keys. It and {@link IndexFiller} work in the background.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A pointer that is offered to the index belongs to the newest version of its key. It was the newest in the version that
 *       is walked over. Any newer version of the key would be in a memtable, because the version's active memtable has not been
 *       flushed, and no memtable has one. Both conditions are checked while no operation is under way.
 *   <li>An offer changes no entry that the index has, and evicts no other key.
 * </ol>
 */
final class IndexedEntries implements IndexFiller.Keys, AutoCloseable {

    private static final int CHECK_ENTRIES = 1 << 12;

    /** Keys offered at a time. Writers wait as long as that takes. */
    private static final int CHUNK_KEYS = 64;

    /** After this number of keys the walk looks whether its version has become too old, however few keys it has found. */
    private static final int LOOK_KEYS = 1 << 12;

    private static final int READ_AHEAD_BYTES = 256 << 10;
    private static final long LOOK_AGAIN_NANOS = 20_000;

    private final TableContext context;
    private final VersionHistory versions;
    private final ValueIndex index;
    private final long memTableBytes;
    private final MemTables memTables;
    private final IndexFiller filler;
    private final BackgroundTask filling;

    /**
     * The check is due when the active memtable has this number of entries, or is another one. Changed seldom and without lock,
     * for a count of writes would go from one processor to the other with each write.
     */
    private long checkAt;

    private record Found(byte[] key, long lsn, ValuePointer pointer) {}

    IndexedEntries(TableParts parts, MemTables memTables, ValueIndex index) {
        this.context = parts.context();
        this.versions = parts.versions();
        this.index = index;
        this.memTableBytes = parts.options().get().memTableBytes();
        this.memTables = memTables;
        this.filler = new IndexFiller(context.memory(), index, this);
        this.filling = new BackgroundTask(
                context.background().longWork(), context.background().waiter(), this::fill);
    }

    /** Called before a write. Checks once in a while whether the index is too small. Reads only counters on the heap. */
    void considerGrowth() {
        Version version = versions.current();
        long entries = version.active().entries();
        boolean isOther = entries + CHECK_ENTRIES <= checkAt;
        if (isOther || entries >= checkAt) {
            checkAt = entries + CHECK_ENTRIES;
            if (version.hasLongValues() && filler.isDue()) {
                filling.request();
            }
        }
    }

    /** Called when a get had to search for a long value. */
    void searched() {
        index.noteSearch();
        if (filler.isWanted()) {
            filling.request();
        }
    }

    private void fill() {
        try {
            filler.run();
        } catch (IOException | KVStoreException e) {
            Notices.warning(IndexedEntries.class, context.directory(), "the index of values was not filled", e);
        }
    }

    @Override
    public long count() {
        return versions.current().entries();
    }

    /** The index does not shrink by itself, so half of the store's memory stays for others. */
    @Override
    public boolean mayTake() {
        return context.memory().usedBytes() + memTableBytes <= context.memory().totalBytes() / 2;
    }

    @Override
    public void grow() {
        betweenOperations(index.places()::grow);
    }

    /**
     * Tells of all keys of the current version, until the version has become too old. Short values are not told of, and an
     * offer that finds no place marks no bucket as lossy, so the index never knows that a key is absent.
     */
    @Override
    public byte @Nullable [] tell(byte[] from) throws IOException {
        Version version = versions.pin();
        try {
            EntryCursor entries = version.cursor(false, READ_AHEAD_BYTES, Long.MAX_VALUE);
            KeyBuffer last = new KeyBuffer();
            List<Found> chunk = new ArrayList<>(CHUNK_KEYS);
            boolean isFirst = true;
            int passed = 0;
            for (boolean more = entries.seek(from, true); more && !filling.isClosed(); more = entries.advance()) {
                if (!isFirst && entries.key().holds(last)) {
                    continue; // an older version of the same key
                }
                isFirst = false;
                last.set(entries.key());
                if (chunk.size() == CHUNK_KEYS || ++passed == LOOK_KEYS) {
                    if (!offer(chunk, version)) {
                        return chunk.isEmpty() ? last.toArray() : chunk.getFirst().key;
                    }
                    chunk.clear();
                    passed = 0;
                }
                if (entries.kind() == EntryKind.VALUE_POINTER) {
                    chunk.add(new Found(last.toArray(), entries.lsn(), entries.pointer()));
                }
            }
            return chunk.isEmpty() || offer(chunk, version) ? null : chunk.getFirst().key;
        } finally {
            version.release();
        }
    }

    /** Offers a chunk to the index. Returns false if the version is too old to know which entries are the newest. */
    private boolean offer(List<Found> chunk, Version version) {
        boolean[] told = new boolean[1];
        betweenOperations(() -> {
            int ticket = context.epochs().enter();
            try {
                Version current = versions.current();
                told[0] = current.hasMemTable(version.active());
                for (int i = 0; told[0] && i < chunk.size(); i++) {
                    Found found = chunk.get(i);
                    if (current.newestInMemory(found.key) <= found.lsn) {
                        index.places().offer(found.key, found.pointer);
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
            Pause.nanos(LOOK_AGAIN_NANOS);
        }
    }

    @Override
    public void tryBetweenOperations(Runnable work) {
        boolean _ = memTables.tryBetweenOperations(work);
    }

    /** Stops the run that is under way, and returns when it has ended. */
    @Override
    public void close() {
        filler.close();
        filling.close();
    }
}
