package io.kvstore;

import io.kvstore.data.KeyRange;
import io.kvstore.durability.StorageErrors;
import io.kvstore.engine.Epochs;
import io.kvstore.engine.TableFileInfo;
import io.kvstore.error.Closing;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.Notices;
import io.kvstore.error.OverloadedException;
import io.kvstore.error.StoreClosedException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The table file that has a name now. When another file gets the name, by a rename or by a link that is changed, later calls
 * read that one. No call fails or waits for it. A file is closed when it has lost the name and the last call has left it.
 *
 * <p>Safe for use by any number of threads. A call that uses several answers of one file asks for them in one {@link #read}.
 */
public final class CurrentTableFile implements AutoCloseable {

    /** The most files that are kept open for calls that have not left them. */
    static final int MOST_OLD_FILES = 8;

    private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(10);

    private final Path path;
    private final Epochs readers = new Epochs();
    private final Set<TableFile> old = ConcurrentHashMap.newKeySet();
    private final @Nullable ScheduledExecutorService looking;

    private volatile TableFile current;
    private volatile boolean closed;
    private volatile @Nullable KVStoreException failure;

    private CurrentTableFile(Path path, @Nullable ScheduledExecutorService looking) {
        this.path = path;
        this.current = TableFile.open(path);
        this.looking = looking;
    }

    /**
     * Opens the file that has a name now. Another one is looked for by {@link #refresh} alone.
     *
     * @throws io.kvstore.error.CorruptionException as {@link TableFile#open}
     */
    public static CurrentTableFile open(Path file) {
        return new CurrentTableFile(file, null);
    }

    /**
     * Opens the file that has a name now, and looks again in each interval, in a thread of its own. If that fails, calls go on
     * to read the file before, and {@link #failure} says why.
     *
     * @param interval 10 ms or longer
     * @throws InvalidRequestException if the interval is shorter
     * @throws io.kvstore.error.CorruptionException as {@link TableFile#open}
     */
    public static CurrentTableFile following(Path file, Duration interval) {
        if (interval.compareTo(SHORTEST_INTERVAL) < 0) {
            throw new InvalidRequestException("the interval is " + interval + "; it must be 10 ms or longer");
        }
        ScheduledExecutorService looking = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "kvstore-current-file");
            thread.setDaemon(true);
            return thread;
        });
        CurrentTableFile opened = new CurrentTableFile(file, looking); // no thread is begun before the first look
        try {
            long nanos = TimeUnit.NANOSECONDS.convert(interval);
            ScheduledFuture<?> _ = looking.scheduleWithFixedDelay(opened::look, nanos, nanos, TimeUnit.NANOSECONDS);
            return opened;
        } catch (Throwable e) { // such as OutOfMemoryError, if there is no thread to be had
            Closing.giveUp(opened, CurrentTableFile.class, file.toString());
            throw e;
        }
    }

    private void look() {
        try {
            refresh();
        } catch (StoreClosedException e) {
            // nobody asks any more
        } catch (KVStoreException e) {
            noteFailure(e);
        } catch (Throwable e) { // such as OutOfMemoryError, after which a scheduled task would not run again
            Notices.error(CurrentTableFile.class, path.toString(), "looking for another file failed", e);
        }
    }

    private void noteFailure(KVStoreException e) {
        KVStoreException before = failure;
        failure = e;
        if (before == null || !Objects.equals(before.getMessage(), e.getMessage())) {
            Notices.warning(CurrentTableFile.class, path.toString(), "the file before is read on", e);
        }
    }

    /**
     * Looks whether another file has the name, and gives later calls that one.
     *
     * @return whether there was another one
     * @throws io.kvstore.error.CorruptionException if it is damaged, is cut off, or is no table file; calls read the one before
     * @throws OverloadedException if calls have not left the eight files before
     */
    public synchronized boolean refresh() {
        requireOpen();
        readers.reclaim();
        TableFile found = TableFile.open(path);
        try {
            boolean isAnother = !found.info().id().equals(current.info().id());
            if (isAnother) {
                replace(found);
            }
            failure = null;
            return isAnother;
        } finally {
            if (current != found) {
                found.close();
            }
        }
    }

    private void replace(TableFile found) {
        if (old.size() >= MOST_OLD_FILES) {
            throw new OverloadedException(MOST_OLD_FILES + " files that had the name " + path
                    + " before are still read; end those calls, and look again");
        }
        TableFile before = current;
        old.add(before);
        current = found;
        readers.retire(() -> closeOld(before));
    }

    private void closeOld(TableFile before) {
        old.remove(before);
        before.close();
    }

    private void requireOpen() {
        if (closed) {
            throw new StoreClosedException(path + " was closed; open it again");
        }
    }

    /** Why the last look failed; null if it did not. */
    public @Nullable KVStoreException failure() {
        return failure;
    }

    /**
     * Passes the present file to a function, which may ask it for anything, and returns the result. The file stays open until
     * the function returns, and must not be used afterwards; nor must its cursors.
     */
    public <T extends @Nullable Object> T read(Function<TableFile, T> function) {
        int ticket = readers.enter();
        try {
            requireOpen();
            return function.apply(current);
        } finally {
            readers.exit(ticket);
        }
    }

    /** As {@link TableFile#info()}. */
    public TableFileInfo info() {
        return read(TableFile::info);
    }

    /** As {@link TableFile#get(byte[])}. */
    public byte @Nullable [] get(byte[] key) {
        int ticket = readers.enter();
        try {
            requireOpen();
            return current.get(key);
        } finally {
            readers.exit(ticket);
        }
    }

    /** As {@link TableFile#get(String)}. */
    public byte @Nullable [] get(String key) {
        return get(Keys.bytes(key));
    }

    /** As {@link TableFile#contains(byte[])}. */
    public boolean contains(byte[] key) {
        return read(file -> file.contains(key));
    }

    /** As {@link TableFile#count}. */
    public long count(KeyRange range) {
        return read(file -> file.count(range));
    }

    /** Closes all files. Calls that are under way fail as later ones do, or return what they have read. */
    @Override
    public void close() {
        if (looking != null) {
            looking.shutdownNow();
        }
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            try (Closing closing = new Closing("not all files that had the name " + path + " could be closed")) {
                closing.attempt(current);
                old.forEach(closing::attempt);
            } catch (IOException e) {
                throw StorageErrors.of("closing " + path, e);
            }
        }
    }

    @Override
    public String toString() {
        return "CurrentTableFile[" + path + ", " + current.info().entries() + " entries]";
    }
}
