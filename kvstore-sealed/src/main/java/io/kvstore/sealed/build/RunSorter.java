package io.kvstore.sealed.build;

import io.kvstore.bytes.Slice;
import io.kvstore.data.KeyOrder;
import io.kvstore.engine.Progress;
import io.kvstore.engine.TableFileSettings.Duplicates;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.io.FileAppender;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Sorts entries that do not fit into memory. What fits is sorted there and written as a run to a temporary file. In the end all
 * runs are merged. Of equal keys the one of the latest run, and in a run the last one, is the one that was given last.
 */
final class RunSorter {

    private static final int LEAST_READ_BYTES = 4 << 10;
    private static final int MOST_READ_BYTES = 256 << 10;

    /** So many runs are merged with whatever memory there is. */
    private static final int FEW_RUNS = 1_024;

    /** Entries between two calls of a {@link Progress}. */
    private static final int TELLS_EVERY = 10_000;

    private static final long SEED = 0x52554E53L;

    private final BuildFiles files;
    private final Duplicates duplicates;
    private final long memoryBytes;
    private final SortBuffer buffer;
    private final RecordWriter records = new RecordWriter(SEED);
    private final List<Run.Source> runs = new ArrayList<>();
    private @Nullable StorageFile file;
    private @Nullable FileAppender appender;
    private long entries;

    /** Length of the longest entry that was added. */
    private long mostEntryBytes;

    RunSorter(BuildFiles files, Duplicates duplicates, long memoryBytes) {
        this.files = files;
        this.duplicates = duplicates;
        this.memoryBytes = memoryBytes;
        this.buffer = new SortBuffer(memoryBytes);
    }

    /** Adds a run that was written elsewhere, before anything else. */
    void addSorted(Run.Source sorted, long count, long longestEntryBytes) {
        runs.add(sorted);
        entries += count;
        mostEntryBytes = longestEntryBytes;
    }

    void add(byte[] key, byte[] value) throws IOException {
        buffer.add(key, value);
        mostEntryBytes = Math.max(mostEntryBytes, (long) key.length + value.length);
        entries++;
        if (buffer.isFull()) {
            spill();
        }
    }

    private void spill() throws IOException {
        requireFewRuns();
        FileAppender out = appender;
        StorageFile target = file;
        if (out == null || target == null) {
            target = files.create("runs");
            file = target;
            out = new FileAppender(target);
            appender = out;
        }
        long start = out.written();
        Run sorted = new MemoryRun(buffer, this::requireAllowed);
        while (sorted.next()) {
            Slice value = sorted.value();
            append(out, records.beforeValue(Slice.of(sorted.key()), value, out.written()));
            append(out, value);
        }
        out.flush();
        runs.add(written(target, start, out.written()));
        buffer.clear();
    }

    private static Run.Source written(StorageFile target, long start, long end) {
        FileRun.Part part = new FileRun.Part(target, SEED, start, end);
        return (bufferBytes, mostEntryBytes) -> new FileRun(part, bufferBytes, mostEntryBytes);
    }

    /** Each run takes memory when all are merged. */
    private void requireFewRuns() {
        long most = Math.max(FEW_RUNS, memoryBytes / 4 / LEAST_READ_BYTES);
        if (runs.size() >= most) {
            throw new InvalidRequestException("sorting has made " + runs.size() + " runs of " + entries
                    + " entries, and " + memoryBytes + " bytes of sortMemoryBytes merge at most " + most
                    + "; double sortMemoryBytes, or give keys that ascend");
        }
    }

    private static void append(FileAppender out, Slice slice) throws IOException {
        out.append(ByteBuffer.wrap(slice.array(), slice.offset(), slice.length()));
    }

    private void requireAllowed(byte[] key) {
        if (duplicates == Duplicates.REFUSED) {
            throw new InvalidRequestException("key " + KeyOrder.display(key)
                    + " was given twice, and duplicates are REFUSED; give it once, or let the last one win");
        }
    }

    /** Writes all entries in the order of their keys. Called once. */
    void mergeTo(SortedBuild target, Progress progress) throws IOException {
        PriorityQueue<Source> sources = new PriorityQueue<>();
        long readBytes = memoryBytes / 4 / (runs.size() + 1);
        int bufferBytes = Math.clamp(readBytes, LEAST_READ_BYTES, MOST_READ_BYTES);
        for (int i = 0; i < runs.size(); i++) {
            begin(sources, i, runs.get(i).read(bufferBytes, mostEntryBytes));
        }
        begin(sources, runs.size(), new MemoryRun(buffer, this::requireAllowed));
        long taken = 0;
        for (Source next = sources.poll(); next != null; next = sources.poll()) {
            Source other = sources.peek();
            Slice value = next.run().value(); // checked even if it is left out: a damaged key may be equal to another
            if (other != null && KeyOrder.compare(next.key(), other.key()) == 0) {
                requireAllowed(next.key()); // the other one was given later
            } else {
                target.put(next.key(), value);
            }
            begin(sources, next.index(), next.run());
            if (++taken % TELLS_EVERY == 0) {
                tell(progress, taken, entries);
            }
        }
    }

    /** Tells how far a build has come, and ends it if it is to be stopped. */
    static void tell(Progress progress, long done, long all) {
        if (!progress.advanced(done, all)) {
            throw new InvalidRequestException("the build was stopped after " + done + " of " + all + " entries");
        }
    }

    /** Moves a run to its next entry, and adds it to the sources if there is one. */
    private static void begin(PriorityQueue<Source> sources, int index, Run run) throws IOException {
        if (run.next()) {
            sources.add(new Source(run, index, run.key()));
        }
    }

    /** A run at an entry. Of equal keys the one that was given first comes first. */
    private record Source(Run run, int index, byte[] key) implements Comparable<Source> {
        @Override
        public int compareTo(Source other) {
            int order = KeyOrder.compare(key, other.key);
            return order != 0 ? order : Integer.compare(index, other.index);
        }
    }
}
