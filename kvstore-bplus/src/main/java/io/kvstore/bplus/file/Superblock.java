package io.kvstore.bplus.file;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.FileHeader;
import io.kvstore.error.CorruptionException;
import java.util.ArrayList;
import java.util.List;

/**
 * The state of a table at one checkpoint: all that is needed to find the rest of the state. There are three superblocks in the
 * first three units of the file, written in turn.
 *
 * @param sequence counts checkpoints
 * @param lsn the pages have every operation up to this lsn, and nothing of a later one
 * @param rootId the page where a search begins; 0 for an empty table
 * @param nextPageId greater than any page id in use
 * @param entries how many keys have a value
 * @param values the {@link Location} of the page that lists the value segments; 0 if there is none
 * @param directories the {@link Location}s of the directory pages, which have those of the map pages
 */
public record Superblock(
        long sequence, long lsn, long rootId, long nextPageId, long entries, long values, List<Long> directories) {

    static final FileHeader HEADER = new FileHeader("KVBTREE1", "page file", 1);

    /** The most directories that fit into a unit beside the other fields. */
    static final int MAX_DIRECTORIES = 500;

    public static final Superblock EMPTY = new Superblock(1, 0, 0, 1, 0, 0, List.of());

    Superblock following() {
        return new Superblock(sequence + 1, lsn, rootId, nextPageId, entries, values, directories);
    }

    byte[] write(int fileTag) {
        ByteWriter out = new ByteWriter(PageFile.UNIT_BYTES);
        HEADER.write(out, 0);
        out.u32(fileTag).u64(sequence).u64(lsn).u64(rootId);
        out.u64(nextPageId).u64(entries).u64(values).u32(directories.size());
        directories.forEach(out::u64);
        out.checksumFrom(0);
        out.raw(new byte[PageFile.UNIT_BYTES - out.size()]);
        return out.toArray();
    }

    static Superblock read(String file, byte[] bytes, int slot, int fileTag) {
        ByteReader in = new ByteReader(file, (long) slot * PageFile.UNIT_BYTES, bytes, 0, bytes.length);
        int flags = HEADER.read(in, file).flags();
        int foundTag = in.u32();
        Superblock found = readFields(in);
        in.checksumFrom(0);
        for (byte rest : in.raw(in.remaining())) {
            if (rest != 0) {
                throw in.corrupt("something lies behind a superblock");
            }
        }
        if (flags != 0 || foundTag != fileTag) {
            throw new CorruptionException(file, 0, "belongs to table " + foundTag + ", not to table " + fileTag);
        }
        return found;
    }

    private static Superblock readFields(ByteReader in) {
        long sequence = in.u64();
        long lsn = in.u64();
        long rootId = in.u64();
        long nextPageId = in.u64();
        long entries = in.u64();
        long values = in.u64();
        int count = in.u32();
        if (count < 0 || count > MAX_DIRECTORIES) {
            throw in.corrupt("a superblock cannot have " + count + " directories");
        }
        List<Long> directories = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            directories.add(in.u64());
        }
        return new Superblock(sequence, lsn, rootId, nextPageId, entries, values, List.copyOf(directories));
    }

    /**
     * Throws if a superblock whose checksum is right was never written in its slot. A state before it must not take its place:
     * its pages may be overwritten.
     */
    void requireSound(String file, int slot) {
        boolean makesSense = sequence > 0
                && sequence % PageStore.SLOTS == slot
                && lsn >= 0
                && rootId >= 0
                && rootId < nextPageId
                && entries >= 0
                && (entries == 0) == (rootId == 0);
        if (!makesSense) {
            throw new CorruptionException(file, (long) slot * PageFile.UNIT_BYTES, "a superblock contradicts itself");
        }
    }

    /** Throws if a place that this names, the newest superblock, is not in the file. */
    void requireWithin(String file, long fileBytes) {
        long units = fileBytes / PageFile.UNIT_BYTES;
        boolean fits = values == 0 || Location.isWithin(values, units);
        for (long directory : directories) {
            fits &= directory == 0 || (Location.isWithin(directory, units) && Location.units(directory) == 1);
        }
        if (!fits) {
            long offset = sequence % PageStore.SLOTS * PageFile.UNIT_BYTES;
            throw new CorruptionException(file, offset, "a superblock leads to places that the file does not have");
        }
    }
}
