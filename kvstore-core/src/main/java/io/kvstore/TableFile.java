package io.kvstore;

import io.kvstore.data.Entry;
import io.kvstore.data.KeyRange;
import io.kvstore.durability.StorageErrors;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.engine.TableFileInfo;
import io.kvstore.engine.TableFileReader;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.StoreClosedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A table file, read without a store. Any number of processes read one file at a time, and share the system's memory of it; no
 * lock is taken, and nothing is written. The file may be renamed, replaced or deleted meanwhile. Nobody may change its bytes or
 * cut it off.
 *
 * <p>Safe for use by any number of threads. A record is checked each time it is read, and what leads to it when it is read for
 * the first time. Made by {@link TableFileBuilder}.
 */
public final class TableFile implements AutoCloseable {

    private final Path path;
    private final TableFileReader reader;

    /** Calls take no part in the closing. One that is under way fails in the file, and looks here why. */
    private volatile boolean closed;

    private TableFile(Path path, TableFileReader reader) {
        this.path = path;
        this.reader = reader;
    }

    /**
     * Opens a file.
     *
     * @throws io.kvstore.error.CorruptionException if the file is damaged, is cut off, or is no table file
     * @throws InvalidRequestException if no module on the class path reads table files
     */
    public static TableFile open(Path file) {
        try {
            FilePlace place = FilePlace.forReading(file);
            return new TableFile(file, TableFileFormats.load().of(place).open(place.storage(), place.name()));
        } catch (IOException e) {
            throw StorageErrors.of("opening " + file, e);
        }
    }

    /** The facts that the file states about itself. */
    public TableFileInfo info() {
        return reader.info();
    }

    @FunctionalInterface
    interface Call<T extends @Nullable Object> {
        T run() throws IOException;
    }

    <T extends @Nullable Object> T call(Call<T> call) {
        requireOpen();
        try {
            return call.run();
        } catch (IllegalStateException e) {
            requireOpen();
            throw e;
        } catch (IOException e) {
            requireOpen();
            throw StorageErrors.of("reading " + path, e);
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new StoreClosedException(path + " was closed; open it again");
        }
    }

    /** The value of a key, in a fresh array; null if the file has none. */
    public byte @Nullable [] get(byte[] key) {
        return call(() -> reader.get(Limits.key(key)));
    }

    /** As {@link #get(byte[])}, of a key in UTF-8. */
    public byte @Nullable [] get(String key) {
        return get(Keys.bytes(key));
    }

    /** Passes the value of a key to a function, in a read-only buffer, and null for a key without a value. */
    public <T extends @Nullable Object> T read(byte[] key, Function<@Nullable ByteBuffer, T> function) {
        byte[] value = get(key);
        return function.apply(value == null ? null : ByteBuffer.wrap(value).asReadOnlyBuffer());
    }

    /** Whether the file has a value of a key. */
    public boolean contains(byte[] key) {
        return call(() -> reader.contains(Limits.key(key)));
    }

    /** As {@link #contains(byte[])}, of a key in UTF-8. */
    public boolean contains(String key) {
        return contains(Keys.bytes(key));
    }

    /** A walk over the entries of a range. It need not be closed. */
    public Cursor scan(KeyRange range) {
        return new FileCursor(this, call(() -> reader.scan(range)), range);
    }

    /** The entries of a range as a stream. */
    public Stream<Entry> stream(KeyRange range) {
        return EntryStream.of(scan(range));
    }

    /** How many entries a range has, up to its limit. Takes as long as two look-ups. */
    public long count(KeyRange range) {
        return call(() -> reader.count(range));
    }

    /** How many keys are below a key. */
    public long rank(byte[] key) {
        return count(KeyRange.all().to(Limits.key(key), false));
    }

    /** The key that has {@code index} entries of a range before it; null if there are not so many. */
    public byte @Nullable [] keyAt(KeyRange range, long index) {
        if (index < 0) {
            throw new InvalidRequestException("the index is " + index + "; the first key has the index 0");
        }
        return call(() -> reader.keyAt(range, index));
    }

    /** Reads all of the file once, so that the system has it in memory if there is room. */
    public void load(Progress progress) {
        call(() -> {
            reader.load(progress);
            return null;
        });
    }

    /** Reads every byte and checks every rule. */
    public Findings verify(Progress progress) {
        return call(() -> {
            Findings findings = new Findings();
            reader.verify(findings, progress);
            return findings;
        });
    }

    /** Closes the file. Calls that are under way fail as later ones do, or return what they have read. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            try {
                reader.close();
            } catch (IOException e) {
                throw StorageErrors.of("closing " + path, e);
            }
        }
    }

    @Override
    public String toString() {
        return "TableFile[" + path + ", " + info().entries() + " entries]";
    }
}
