package io.kvstore.sealed;

import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import io.kvstore.engine.EngineCursor;
import io.kvstore.engine.EngineStats;
import io.kvstore.engine.FileHold;
import io.kvstore.engine.Findings;
import io.kvstore.engine.HeldFile;
import io.kvstore.engine.Measures;
import io.kvstore.engine.Progress;
import io.kvstore.engine.ReadView;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.engine.TableFileReader;
import io.kvstore.error.Closing;
import io.kvstore.error.CorruptionException;
import io.kvstore.sealed.read.SealedFile;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A table that is a file, or is empty without one. It never changes: other contents are another table directory, which takes
 * the place of this one in the catalog. So all views see the same, no answer waits for the log, and a checkpoint has nothing to
 * do.
 */
final class SealedEngine implements TableEngine {

    private static final long NO_LSN = 0;

    private final TableContext context;
    private final @Nullable SealedFile file;

    private SealedEngine(TableContext context, @Nullable SealedFile file) {
        this.context = context;
        this.file = file;
    }

    static SealedEngine open(TableContext context) throws IOException {
        TableMark mark = TableMark.read(context);
        String path = SealedFiles.pathIn(context);
        boolean isThere = context.storage().exists(path);
        if (mark == null && !isThere) {
            return new SealedEngine(context, null);
        }
        if (mark == null || !isThere) {
            throw new CorruptionException(
                    context.directory(),
                    -1,
                    (isThere ? "the mark of the table" : "the file of the table")
                            + " is missing; restore it from a backup, or drop the table and swap a file into a new one");
        }
        SealedFile opened = SealedFile.open(context.storage(), path, context::map);
        try {
            if (!TableMark.of(context, opened).equals(mark)) {
                throw new CorruptionException(
                        path,
                        -1,
                        "it is not the file that was swapped in, which has the id " + mark.fileId()
                                + "; put that one back, or swap this one in");
            }
            return new SealedEngine(context, opened);
        } catch (Throwable e) {
            Closing.giveUp(opened, SealedEngine.class, path);
            throw e;
        }
    }

    /** Opens the file without a mark that says whether it is the right one; null if there is none. */
    static @Nullable SealedEngine openDamaged(TableContext context) throws IOException {
        String path = SealedFiles.pathIn(context);
        return context.storage().exists(path)
                ? new SealedEngine(context, SealedFile.open(context.storage(), path, context::map))
                : null;
    }

    @Override
    public @Nullable TableFileReader file() {
        return file;
    }

    @Override
    public byte @Nullable [] get(byte[] key, ReadView view) throws IOException {
        return file == null ? null : file.get(key);
    }

    @Override
    public boolean contains(byte[] key, ReadView view) throws IOException {
        return file != null && file.contains(key);
    }

    @Override
    public EngineCursor scan(KeyRange range, ReadView view) throws IOException {
        return file == null ? new NoEntries() : file.scan(range);
    }

    @Override
    public long count(KeyRange range, ReadView view) throws IOException {
        return file == null ? 0 : file.count(range);
    }

    @Override
    public byte @Nullable [] keyAt(KeyRange range, long index, ReadView view) throws IOException {
        return file == null ? null : file.keyAt(range, index);
    }

    @Override
    public List<byte[]> separators(KeyRange range, int wanted) throws IOException {
        return file == null ? List.of() : file.separators(range, wanted);
    }

    @Override
    public void admit(long bytes) {
        throw notTaken();
    }

    /** The store refuses writes of a table that takes files before it asks the engine. */
    private IllegalStateException notTaken() {
        return new IllegalStateException(context.directory() + " takes no writes");
    }

    @Override
    public Load reserve(List<Mutation> mutations) {
        throw notTaken();
    }

    @Override
    public void cancel(List<Mutation> mutations) {
        // nothing is ever reserved
    }

    @Override
    public void apply(long lsn, List<Mutation> mutations) {
        throw notTaken();
    }

    @Override
    public long checkpoint() {
        return NO_LSN;
    }

    @Override
    public long durableLsn() {
        return NO_LSN;
    }

    /** The files never change, and stay as long as somebody has the table. */
    @Override
    public FileHold hold() {
        SealedFile present = file;
        List<HeldFile> files = present == null
                ? List.of()
                : List.of(
                        HeldFile.of(
                                context.storage(),
                                SealedFiles.pathIn(context),
                                present.info().fileBytes(),
                                true,
                                present::check),
                        HeldFile.of(
                                TableMark.NAME, TableMark.of(context, present).toBytes()));
        return FileHold.of(NO_LSN, files);
    }

    @Override
    public long appliedLsn() {
        return NO_LSN;
    }

    @Override
    public void flush() {
        // all of it is in its file
    }

    /** Reads the file, so that the system has it in memory. */
    @Override
    public void optimize(Progress progress) throws IOException {
        if (file != null) {
            file.load(progress);
        }
    }

    @Override
    public EngineStats stats() {
        Measures measures = new Measures();
        long entries = 0;
        long bytes = 0;
        if (file != null) {
            entries = file.info().entries();
            bytes = file.info().fileBytes();
            measures.add("mapped_bytes", file.mappedBytes(), "Bytes of the file that are mapped.");
            measures.add("key_bytes", file.info().keyBytes(), "Bytes of all keys.");
            measures.add("value_bytes", file.info().valueBytes(), "Bytes of all values.");
        }
        return new EngineStats(entries, 0, bytes, NO_LSN, measures.all());
    }

    @Override
    public void verify(Findings findings) throws IOException {
        if (file != null) {
            file.verify(findings, Progress.NONE);
        }
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }

    /** A walk over nothing. */
    private static final class NoEntries implements EngineCursor {
        @Override
        public boolean next() {
            return false;
        }

        @Override
        public byte[] key() {
            throw new IllegalStateException("there is no entry");
        }

        @Override
        public byte[] value() {
            throw new IllegalStateException("there is no entry");
        }

        @Override
        public void close() {
            // nothing is held
        }
    }
}
