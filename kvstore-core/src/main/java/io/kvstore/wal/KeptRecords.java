package io.kvstore.wal;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.FileHeader;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import io.kvstore.wal.format.FrameScanner;
import io.kvstore.wal.format.LogFormat;
import io.kvstore.wal.format.LogRecord;
import io.kvstore.wal.format.StoreId;
import io.kvstore.wal.format.WatermarkPayload;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.IntPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Records that are kept beside the log, in files of one table each. A table that could not take its records for too long would
 * hold back the log of all tables, so its records are kept here instead.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A file is written whole and synced, and its name is made durable, before the catalog says that the file exists. Only
 *       then does the log release the records. A file that the catalog does not know is left over.
 *   <li>The files of a table follow each other. Each begins at or below the lsn at which the file before it ends. The first
 *       begins at or below the lsn up to which the table's own files held everything. A gap, a missing file or a damaged file
 *       fails the table when the table is opened.
 *   <li>The files are deleted once the catalog says that the table's own files hold all their records, or that the table does
 *       not exist.
 * </ol>
 *
 * <p>Files are written and deleted by one thread at a time.
 */
public final class KeptRecords {

    public static final String DIRECTORY = "kept";

    public static final FileHeader HEADER = new FileHeader("KVKEPTRC", "file of kept records", 1);
    private static final int HEAD_BYTES = 64;

    private static final Pattern NAME = Pattern.compile("([0-9]{10})\\.([0-9]{10})\\.kept");
    private static final String TEMPORARY = ".tmp";

    private final Storage storage;
    private final StoreId store;
    private final Map<Integer, List<KeptFile>> byTable = new ConcurrentSkipListMap<>();

    /** A file, known by table and number. A file with a greater number holds later records. */
    private record KeptFile(int tableId, int number, long bytes) {

        String path() {
            return String.format(Locale.ROOT, "%s/%010d.%010d.kept", DIRECTORY, tableId, number);
        }

        /** The number that takes the place of a segment's id in the checksums of frames. */
        long seed() {
            return (long) tableId << Integer.SIZE | number;
        }
    }

    private KeptRecords(Storage storage, StoreId store) {
        this.storage = storage;
        this.store = store;
    }

    /** Finds the files that exist. Writes nothing. */
    public static KeptRecords find(Storage storage, StoreId store) throws IOException {
        KeptRecords kept = new KeptRecords(storage, store);
        for (String name : storage.list(DIRECTORY)) {
            Matcher matcher = NAME.matcher(name);
            if (matcher.matches()) {
                long table = Long.parseLong(matcher.group(1));
                long number = Long.parseLong(matcher.group(2));
                if (Math.max(table, number) <= Integer.MAX_VALUE) { // else it is no file of ours
                    kept.add(new KeptFile((int) table, (int) number, storage.size(DIRECTORY + "/" + name)));
                }
            }
        }
        return kept;
    }

    private void add(KeptFile file) {
        List<KeptFile> files = new ArrayList<>(filesOf(file.tableId));
        files.add(file);
        byTable.put(file.tableId, files);
    }

    private List<KeptFile> filesOf(int tableId) {
        return byTable.getOrDefault(tableId, List.of());
    }

    public long bytes(int tableId) {
        return filesOf(tableId).stream().mapToLong(KeptFile::bytes).sum();
    }

    public long bytes() {
        return byTable.keySet().stream().mapToLong(this::bytes).sum();
    }

    /** Deletes the files of tables that do not need them, and unfinished files that a crash left. */
    public void sweep(IntPredicate isNeeded) throws IOException {
        for (String name : storage.list(DIRECTORY)) {
            if (name.endsWith(TEMPORARY)) {
                storage.delete(DIRECTORY + "/" + name);
            }
        }
        deleteUnneeded(isNeeded);
    }

    public void deleteUnneeded(IntPredicate isNeeded) throws IOException {
        for (int table : List.copyOf(byTable.keySet())) {
            if (!isNeeded.test(table)) {
                for (KeptFile file : filesOf(table)) {
                    storage.delete(file.path());
                }
                byTable.remove(table);
            }
        }
    }

    /**
     * Writes the operations of a table in the full segments of the log to a new file. The file is durable when this returns.
     *
     * @param above the lsn up to which the table has its operations elsewhere
     * @return the lsn up to which the table has all its operations now
     */
    public long keep(int tableId, long above, LogSpace log) throws IOException {
        storage.createDirectory(DIRECTORY);
        storage.syncDirectory("");
        List<KeptFile> before = filesOf(tableId);
        KeptFile file = new KeptFile(tableId, before.isEmpty() ? 1 : before.getLast().number + 1, 0);
        String temporary = file.path() + TEMPORARY;
        storage.delete(temporary);
        try (StorageFile out = storage.create(temporary)) {
            FrameWriter frames = new FrameWriter(out, file.seed(), new byte[HEAD_BYTES]);
            long upTo = log.copy(tableId, above, (lsn, operation) -> frames.record(lsn, LogRecord.of(operation)));
            frames.mark(LogFormat.SEAL, new WatermarkPayload(file.seed(), frames.position(), upTo, 0), 0);
            frames.flush();
            out.write(head(file, above, upTo), 0); // last, into its room
            out.sync();
            storage.rename(temporary, file.path());
            storage.syncDirectory(DIRECTORY);
            add(new KeptFile(tableId, file.number, frames.position()));
            return upTo;
        } catch (Throwable e) {
            storage.delete(temporary);
            throw e;
        }
    }

    private ByteBuffer head(KeptFile file, long above, long upTo) {
        ByteWriter out = new ByteWriter(HEAD_BYTES);
        HEADER.write(out, 0);
        out.u64(store.high()).u64(store.low());
        out.u32(file.tableId).u32(file.number).u64(above).u64(upTo).u32(0);
        out.checksumFrom(0);
        return out.toBuffer();
    }

    /**
     * Hands out the kept operations of a table, oldest first.
     *
     * @param above the lsn up to which the table's own files hold everything
     * @param upTo the lsn up to which operations are kept, as the catalog says
     * @throws CorruptionException if any of these operations are damaged or missing
     */
    public void replay(int tableId, long above, long upTo, LogReplay receiver) throws IOException {
        long reached = above;
        for (KeptFile file : filesOf(tableId)) {
            reached = replay(file, reached, receiver);
        }
        if (reached < upTo) {
            throw new CorruptionException(
                    DIRECTORY,
                    -1,
                    "what is kept of table " + tableId + " ends at lsn " + reached + ", and there was more, up to "
                            + upTo + "; a file is missing. Restore it from a copy");
        }
    }

    /**
     * Hands out the kept operations of a table that can be read, oldest first, whatever lies before and between them.
     *
     * @param losses gets the files that are damaged, each of which is read up to the damage
     */
    public void salvage(int tableId, LogSalvage.Losses losses, LogReplay receiver) throws IOException {
        for (KeptFile file : filesOf(tableId)) {
            try {
                replay(file, Long.MAX_VALUE, 0, receiver);
            } catch (CorruptionException e) {
                losses.report(e.file(), e.offset(), "kept operations of table " + tableId + " are lost from there on");
            }
        }
    }

    private long replay(KeptFile kept, long reached, LogReplay receiver) throws IOException {
        return replay(kept, reached, reached, receiver);
    }

    /** @param above only operations behind this lsn are handed out */
    private long replay(KeptFile kept, long reached, long above, LogReplay receiver) throws IOException {
        StorageFile file = storage.openReadOnly(kept.path());
        try (FrameScanner scanner = new FrameScanner(file, kept.seed(), HEAD_BYTES, Long.MAX_VALUE)) {
            long upTo = readHead(kept, file, reached);
            boolean sealed = false;
            while (!sealed && scanner.next()) {
                sealed = !scanner.isRecord();
                if (!sealed && scanner.frame().lsn > above) {
                    receiver.apply(scanner.frame().lsn, scanner.operation(""));
                }
            }
            if (!sealed || scanner.frame().lsn != upTo) {
                throw new CorruptionException(kept.path(), scanner.position(), "a kept record is damaged");
            }
            return Math.max(reached, upTo);
        }
    }

    private long readHead(KeptFile kept, StorageFile file, long reached) throws IOException {
        byte[] bytes = new byte[(int) Math.min(HEAD_BYTES, file.size())];
        file.readFully(ByteBuffer.wrap(bytes), 0);
        ByteReader in = new ByteReader(kept.path(), bytes);
        if (bytes.length < HEAD_BYTES) {
            throw in.corrupt("the file has only " + bytes.length + " bytes");
        }
        HEADER.read(in, kept.path());
        StoreId found = new StoreId(in.u64(), in.u64());
        int table = in.u32();
        int number = in.u32();
        long above = in.u64();
        long upTo = in.u64();
        in.skip(Integer.BYTES);
        in.checksumFrom(0);
        if (!found.equals(store) || table != kept.tableId || number != kept.number) {
            throw in.corrupt("the file belongs to another store or table");
        }
        if (above > reached) {
            throw in.corrupt("it begins above lsn " + above + ", but what is there before ends at " + reached);
        }
        return upTo;
    }
}
