package io.kvstore.durability;

import io.kvstore.catalog.TableInfo;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import io.kvstore.data.TableProperties;
import io.kvstore.engine.EngineStats;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.error.ConditionFailedException;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.OverloadedException;
import io.kvstore.error.TableDroppedException;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A table while its store is open: its write lock, its settings and its present incarnation.
 *
 * <p>{@code incarnation}, {@code dropped}, {@code durability} and {@code lastLsn} are written under {@link #lock} and read by
 * any thread. A table whose files are damaged has a failure and no incarnation.
 */
public final class OpenTable {

    public static final Comparator<OpenTable> IN_LOCK_ORDER = Comparator.comparingInt(OpenTable::order);

    private final TableInfo first;
    private final boolean ordered;
    private final boolean takesFiles;
    private final boolean logged;
    private final TableLock lock;
    private final ReentrantLock checkpointing = new ReentrantLock();
    private final ReentrantLock maintenance = new ReentrantLock();

    private volatile @Nullable Incarnation incarnation;
    private volatile @Nullable KVStoreException failure;
    private volatile String name;
    private volatile Durability durability;
    private volatile long maxValueBytes;
    private volatile boolean dropped;
    private volatile @Nullable String refusal;

    /**
     * Whether an operation that changes several tables, this one among them, is being applied. Written under {@link #lock}. It
     * stays set after a failure, which fails the store.
     */
    private volatile boolean joint;

    private final AtomicLong lastLsn = new AtomicLong();
    private final AtomicLong lastWeakLsn = new AtomicLong();

    /** @param provider of the engine; null if it is not there, and then the table cannot be opened */
    OpenTable(TableInfo info, @Nullable TableEngineProvider provider) {
        this.first = info;
        this.name = info.name();
        this.ordered = provider == null || provider.isOrdered();
        this.takesFiles = provider != null && provider.files() != null;
        TableProperties properties = info.properties();
        this.logged = properties.flag("ENABLE_WAL");
        this.lock = new TableLock(logged ? TableLock.LOGGED_TURN : TableLock.TURN);
        this.durability = properties.durability();
        this.maxValueBytes = properties.wholeNumber("MAX_VALUE_BYTES");
    }

    public String database() {
        return first.database();
    }

    public String name() {
        return name;
    }

    public String engineName() {
        return first.engine();
    }

    /** Whether the table keeps its entries in the order of keys. */
    public boolean isOrdered() {
        return ordered;
    }

    /**
     * A range as the engine takes it.
     *
     * @throws InvalidRequestException if the range needs an order of keys that the table does not have
     */
    KeyRange asEngineTakes(KeyRange range) {
        if (ordered) {
            return range.inKeyOrder();
        }
        if (range.needsOrder()) {
            throw new InvalidRequestException(
                    "table " + name() + " is a " + engineName() + " table, which has no order of"
                            + " keys: scan all of it, or what is behind a key; ranges need LSM or BPLUS");
        }
        return range;
    }

    /** Whether the table gets its contents from files, and takes no writes. */
    public boolean takesFiles() {
        return takesFiles;
    }

    boolean isTemporary() {
        return first.properties().isTemporary();
    }

    public boolean isLogged() {
        return logged;
    }

    /** The durability of an acknowledged write, unless the writer asks for another one. */
    public Durability durability() {
        return durability;
    }

    public long maxValueBytes() {
        return maxValueBytes;
    }

    /** The id that the table had first. Locks are taken in ascending order of these ids. */
    public int order() {
        return first.id();
    }

    /** The id under which the catalog has the table. */
    int catalogId() {
        Incarnation present = incarnation;
        return present == null ? first.id() : present.id();
    }

    TableLock lock() {
        return lock;
    }

    /** Takes the locks of tables, which are given in the order of locks. If it throws, call {@link #unlockAll}. */
    static void lockAll(List<OpenTable> tables) {
        for (int i = 0; i < tables.size(); i++) {
            tables.get(i).lock.lock();
        }
    }

    /**
     * Gives back those locks of tables that the thread has, of which there may be none. Takes no memory, not even for an
     * iterator: the work under the locks may have ended because there is no memory.
     */
    static void unlockAll(List<OpenTable> tables) {
        for (int i = tables.size() - 1; i >= 0; i--) {
            tables.get(i).lock.unlockIfMine();
        }
    }

    /** The present incarnation. Throws after a drop, or if the table's files are damaged. */
    Incarnation incarnation() {
        Incarnation present = incarnation;
        if (present == null || dropped) {
            throw unusable();
        }
        return present;
    }

    private KVStoreException unusable() {
        KVStoreException damage = failure;
        if (dropped || damage == null) {
            return new TableDroppedException("table " + name() + " of database " + database()
                    + " was dropped; ask the store for the table again");
        }
        return damage;
    }

    /** What the catalog said when the store was opened, or the table was created. */
    public TableInfo definition() {
        return first;
    }

    void rename(String newName) {
        name = newName;
        Incarnation present = incarnation;
        if (present != null) {
            present.redefine(present.info().withName(newName));
        }
    }

    /**
     * Takes other parameters. The caller has {@link #lock}. An engine may have given up what only views below the last lsn see,
     * because a {@code BUFFERED} table has none. So from now on no view is below that lsn.
     */
    void adopt(TableProperties properties) {
        Incarnation present = incarnation();
        present.redefine(present.info().withProperties(properties));
        maxValueBytes = properties.wholeNumber("MAX_VALUE_BYTES");
        acknowledgedWeakly(Math.max(lastLsn(), present.engine().appliedLsn()));
        durability = properties.durability();
    }

    public TableInfo info() {
        return incarnation().info();
    }

    public EngineStats engineStats() {
        return incarnation().engine().stats();
    }

    /** Why the table cannot be used; null if it can. */
    public @Nullable KVStoreException failure() {
        return failure;
    }

    void refuseWrites(@Nullable String reason) {
        refusal = reason;
    }

    boolean takesWrites() {
        return refusal == null;
    }

    void checkTakesWrites() {
        if (takesFiles) {
            throw new InvalidRequestException("table " + name() + " is a " + engineName() + " table, which takes no"
                    + " writes: build a file of the entries that it is to have (kvstore build), and swap it in");
        }
        String reason = refusal;
        if (reason != null) {
            throw new OverloadedException(reason);
        }
    }

    boolean isDropped() {
        return dropped;
    }

    @Nullable
    Incarnation incarnationOrNull() {
        return incarnation;
    }

    /** The present incarnation with an added reference, or null if there is none. */
    @Nullable
    Incarnation retainOrNull() {
        lock.lock();
        try {
            Incarnation present = dropped ? null : incarnation;
            if (present != null) {
                present.retain();
            }
            return present;
        } finally {
            lock.unlock();
        }
    }

    /** Held while a thread makes a checkpoint or flushes. Taken before {@link #lock}; no long job holds it. */
    ReentrantLock checkpointing() {
        return checkpointing;
    }

    /** Held while a thread runs a long job on the engine: optimize, verify. Taken before {@link #checkpointing}. */
    ReentrantLock maintenance() {
        return maintenance;
    }

    void become(Incarnation next) {
        incarnation = next;
    }

    /** Makes the table unusable, whether or not it was opened. */
    void fail(KVStoreException cause) {
        failure = cause;
        incarnation = null;
    }

    void drop() {
        dropped = true;
    }

    /** The present incarnation with an added reference. Takes no lock. Throws as {@link #incarnation} does. */
    Incarnation retained() {
        Incarnation present = incarnation();
        while (!present.tryRetain()) {
            present = incarnation();
        }
        return present;
    }

    void joint(boolean isBeingApplied) {
        joint = isBeingApplied;
    }

    /** Waits for an operation on several tables, if one is being applied. */
    void awaitJoint() {
        if (joint) {
            try {
                lock.lock();
            } finally {
                lock.unlockIfMine();
            }
        }
    }

    long lastLsn() {
        return lastLsn.getAcquire();
    }

    void applied(long lsn) {
        lastLsn.setRelease(lsn);
    }

    /**
     * Final only under {@link #lock}.
     *
     * @throws ConditionFailedException if the table has another incarnation than {@code id}, or an operation after an lsn
     */
    void requireUnwritten(int id, long lsn) {
        if (incarnation().id() != id || lastLsn() > lsn) {
            throw new ConditionFailedException(
                    0,
                    "table " + name() + " was written meanwhile, and stays as it is; stop its writers, then try again");
        }
    }

    /** The last lsn of the table that was acknowledged before it was durable. */
    long lastWeakLsn() {
        return lastWeakLsn.get();
    }

    void acknowledgedWeakly(long lsn) {
        lastWeakLsn.accumulateAndGet(lsn, Math::max);
    }
}
