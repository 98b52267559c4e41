package io.kvstore.lsm.version;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.Checksum;
import io.kvstore.bytes.FileHeader;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.AtomicFile;
import io.kvstore.io.NoSpaceException;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageDirectory;
import io.kvstore.io.StorageFile;
import io.kvstore.io.UncertainOutcomeException;
import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.lsm.sstable.SsTableInfo;
import io.kvstore.lsm.sstable.SsTableListing;
import io.kvstore.value.segment.ValueSegmentInfo;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The file that says which SSTables and value segments a table has. For every change the whole manifest is written anew
 * under another name and renamed into place. So it is either the old state or the new one and cannot be torn; any damage is
 * corruption. An SSTable or segment takes about 40 bytes of it, whatever its keys are, which is little beside the size of
 * that file.
 *
 * <p>Format: a header, the length of the bytes from there up to the checksum (u32), the table id (u32), records, and a
 * checksum over all bytes before it. A record is its kind (u8), its length (varint) and its fields. A reader that meets a
 * kind it does not know refuses the file.
 */
final class Manifest {

    static final String NAME = "MANIFEST";

    static final FileHeader HEADER = new FileHeader("KVSLSMMF", "manifest", 2);
    private static final int STATE = 1;

    /** A file record of manifest version 1, with the first and the last key. */
    private static final int FILE_WITH_KEYS = 2;

    private static final int SEGMENT = 3;
    private static final int FILE = 4;
    private static final int MAX_BYTES = 1 << 30;

    private final Storage storage;
    private final String directory;
    private final int tableId;
    private boolean isUncertain;

    Manifest(Storage storage, String directory, int tableId) {
        this.storage = storage;
        this.directory = directory;
        this.tableId = tableId;
    }

    /**
     * The contents of a manifest.
     *
     * @param durableLsn the files hold every operation up to this lsn
     * @param nextFileNumber greater than any file number used so far
     * @param levels the SSTables by level, each level in the order of {@link Version}
     * @param segments the value segments, by number
     */
    record State(long durableLsn, long nextFileNumber, List<List<Listed>> levels, List<ValueSegmentInfo> segments) {

        static State empty() {
            List<List<Listed>> levels = new ArrayList<>();
            for (int level = 0; level < LsmOptions.LEVELS; level++) {
                levels.add(new ArrayList<>());
            }
            return new State(0, 1, levels, new ArrayList<>());
        }
    }

    /** An SSTable, and the description of its contents from the time when it was written. */
    record Listed(SsTableListing table, TableFile.Contents contents) {

        private static Listed withKeys(int level, SsTableInfo info) {
            TableFile.Contents unknown = level == 0 ? TableFile.Contents.ALL_OVERWRITES : TableFile.Contents.ALL_ALIVE;
            return new Listed(SsTableListing.of(info), unknown);
        }

        private static Listed read(ByteReader in) {
            return new Listed(SsTableListing.read(in), new TableFile.Contents(in.u8(), in.varint(), in.varint()));
        }

        private void write(ByteWriter out) {
            table.write(out);
            out.u8(contents.liveParts()).varint(contents.keptBytes()).varint(contents.keptLsn());
        }
    }

    String path() {
        return directory + "/" + NAME;
    }

    @Nullable
    State read() throws IOException {
        byte[] bytes = AtomicFile.read(storage, path(), MAX_BYTES);
        if (bytes == null) {
            return null;
        }
        ByteReader in = new ByteReader(path(), bytes);
        FileHeader.Found header = HEADER.read(in, path());
        int length = in.u32();
        if (header.flags() != 0 || length != in.remaining() - Integer.BYTES) {
            throw in.corrupt("the manifest is not as long as it says");
        }
        if (Checksum.of(bytes, 0, bytes.length - Integer.BYTES)
                != new ByteReader(path(), 0, bytes, bytes.length - Integer.BYTES, Integer.BYTES).u32()) {
            throw new CorruptionException(path(), 0, "the manifest's checksum is wrong");
        }
        int foundTable = in.u32();
        if (foundTable != tableId) {
            throw in.corrupt("the manifest is that of table " + foundTable + ", not of table " + tableId);
        }
        return readRecords(in, header.version() == 1 ? FILE_WITH_KEYS : FILE);
    }

    private static State readRecords(ByteReader in, int fileKind) {
        State state = State.empty();
        boolean complete = false;
        while (in.remaining() > Integer.BYTES) {
            int kind = in.u8();
            int end = in.count() + in.position();
            if (kind == STATE && !complete) {
                state = new State(in.varint(), in.varint(), state.levels(), state.segments());
                complete = true;
            } else if (kind == fileKind && complete) {
                int level = in.u8();
                if (level >= LsmOptions.LEVELS) {
                    throw in.corrupt("a file is said to be in level " + level);
                }
                state.levels()
                        .get(level)
                        .add(kind == FILE ? Listed.read(in) : Listed.withKeys(level, SsTableInfo.read(in)));
            } else if (kind == SEGMENT && complete) {
                addSegment(in, state.segments());
            } else {
                throw in.corrupt("a record of kind " + kind + " is not known here");
            }
            if (in.position() != end) {
                throw in.corrupt("a record is not as long as it says");
            }
        }
        if (!complete) {
            throw in.corrupt("the manifest has no state");
        }
        return state;
    }

    private static void addSegment(ByteReader in, List<ValueSegmentInfo> segments) {
        ValueSegmentInfo info = ValueSegmentInfo.read(in);
        if (!segments.isEmpty() && segments.getLast().number() >= info.number()) {
            throw in.corrupt("value segment " + info.number() + " does not follow the one before it");
        }
        segments.add(info);
    }

    /**
     * Replaces the manifest. The new one is durable on return.
     *
     * @throws UncertainOutcomeException if a sync fails, or if it is not known whether the old or the new manifest is there
     *     now; any other I/O error leaves the old one
     */
    void write(State state) throws IOException {
        replace(encode(state));
    }

    /** The bytes of a file with that state. */
    ByteWriter encode(State state) {
        ByteWriter out = new ByteWriter(4 << 10);
        HEADER.write(out, 0);
        out.u32(0).u32(tableId);
        ByteWriter body = new ByteWriter();
        body.varint(state.durableLsn()).varint(state.nextFileNumber());
        addRecord(out, STATE, body);
        for (int level = 0; level < state.levels().size(); level++) {
            for (Listed file : state.levels().get(level)) {
                body.cut(0);
                body.u8(level);
                file.write(body);
                addRecord(out, FILE, body);
            }
        }
        for (ValueSegmentInfo info : state.segments()) {
            body.cut(0);
            info.write(body);
            addRecord(out, SEGMENT, body);
        }
        out.setU32(FileHeader.BYTES, out.size() - FileHeader.BYTES - Integer.BYTES);
        return out.checksumFrom(0);
    }

    private static void addRecord(ByteWriter out, int kind, ByteWriter body) {
        out.u8(kind).varint(body.size()).raw(body.toBuffer().array(), 0, body.size());
    }

    private void replace(ByteWriter bytes) throws IOException {
        // opened first: once the new manifest has its name, nothing may fail for lack of a file descriptor
        try (StorageDirectory names = storage.openDirectory(directory)) {
            replace(bytes, names);
        }
    }

    private void replace(ByteWriter bytes, StorageDirectory names) throws IOException {
        String temporary = path() + AtomicFile.TEMPORARY;
        storage.delete(temporary);
        try (StorageFile file = storage.create(temporary)) {
            file.write(bytes.toBuffer(), 0);
            sync(file);
        }
        isUncertain = true;
        try {
            storage.rename(temporary, path());
        } catch (NoSpaceException e) {
            isUncertain = false;
            throw e;
        } catch (IOException e) {
            throw new UncertainOutcomeException(path() + " could not be replaced", e);
        }
        sync(names, path());
        isUncertain = false;
    }

    /** Whether a write failed, even with an Error, so that it is not known which manifest is there. */
    boolean isUncertain() {
        return isUncertain;
    }

    /** Makes the names in a directory durable. A failure is final. */
    static void sync(StorageDirectory names, String what) throws UncertainOutcomeException {
        try {
            names.sync();
        } catch (IOException e) {
            throw new UncertainOutcomeException("the name of " + what + " could not be synced", e);
        }
    }

    /** Syncs a file. A failure is final. */
    static void sync(StorageFile file) throws UncertainOutcomeException {
        try {
            file.sync();
        } catch (IOException e) {
            throw new UncertainOutcomeException(file.path() + " could not be synced", e);
        }
    }
}
