package io.kvstore.bplus.file;

import io.kvstore.bplus.page.PageCheck;
import io.kvstore.bytes.Checksum;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.StorageFile;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Pages in a file. A page is never written to a place that the last checkpoint or a reader refers to: each write takes a free
 * place. The first four bytes of a page are for its checksum, which covers the file's tag, the page's id and all other bytes.
 * The {@link Location} has a part of the checksum too. Safe for use by several threads.
 */
public final class PageFile implements AutoCloseable {

    /** The unit of all lengths and places in the file. */
    public static final int UNIT_BYTES = 4 << 10;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final StorageFile file;
    private final int fileTag;
    private final FreeSpaceMap places;

    PageFile(StorageFile file, int fileTag, FreeSpaceMap places) {
        this.file = file;
        this.fileTag = fileTag;
        this.places = places;
    }

    /**
     * Writes a page to a free place, without syncing. Returns its location. The page is whole units, gets its checksum here,
     * and is not changed by other threads meanwhile.
     */
    public long write(long id, MemorySegment page) throws IOException {
        int units = Math.toIntExact(page.byteSize() / UNIT_BYTES);
        int checksum = checksum(id, page);
        page.set(INT, 0, checksum);
        long place = places.allocate(units);
        try {
            if (place + units > Location.MAX_PLACE) {
                throw new IOException(file.path() + " would pass 16 TiB; move tables to another store");
            }
            file.write(page.asByteBuffer(), place * UNIT_BYTES);
        } catch (Throwable e) {
            places.free(place, units);
            throw e;
        }
        return Location.of(place, units, checksum);
    }

    /**
     * Reads a page into memory of its length.
     *
     * @throws CorruptionException if the bytes are not those of the page that was written there last
     */
    public void read(long id, long location, MemorySegment target) throws IOException {
        long offset = Location.place(location) * UNIT_BYTES;
        try {
            file.readFully(target.asByteBuffer(), offset);
        } catch (EOFException e) {
            throw new CorruptionException(file.path(), offset, "page " + id + " lies behind the end of the file");
        }
        int checksum = checksum(id, target);
        if (target.get(INT, 0) != checksum) {
            throw new CorruptionException(file.path(), offset, "the checksum of page " + id + " is wrong");
        }
        if ((checksum & Location.CHECK_MASK) != Location.check(location)) {
            throw new CorruptionException(
                    file.path(), offset, "page " + id + " is not the one that was written there last");
        }
    }

    /**
     * Reads a page of the tree into memory of its length.
     *
     * @param isUnseen whether to look at what the page says: its checksum tells nothing of a page that was wrong before
     * @throws CorruptionException if the bytes are not those of the page that was written there last, or of no page
     */
    public void readNode(long id, long location, MemorySegment target, boolean isUnseen) throws IOException {
        read(id, location, target);
        if (isUnseen && !PageCheck.isSound(target, id)) {
            throw new CorruptionException(
                    file.path(),
                    Location.place(location) * UNIT_BYTES,
                    "page " + id + " breaks rules of pages: " + PageCheck.faultsOf(target));
        }
    }

    /** The location of a page that may lie at a place; 0 if it does not. */
    long locate(long id, long place, int units) throws IOException {
        MemorySegment page = MemorySegment.ofArray(new byte[units * UNIT_BYTES]);
        file.readFully(page.asByteBuffer(), place * UNIT_BYTES);
        int checksum = checksum(id, page);
        return page.get(INT, 0) == checksum ? Location.of(place, units, checksum) : 0;
    }

    int fileTag() {
        return fileTag;
    }

    private int checksum(long id, MemorySegment page) {
        return Checksum.seeded(fileTag, id, page.asSlice(Integer.BYTES).asByteBuffer());
    }

    /** Gives back the place of a page to which nothing refers any more. */
    public void free(long location) {
        places.free(Location.place(location), Location.units(location));
    }

    public long takenBytes() {
        return places.takenUnits() * UNIT_BYTES;
    }

    /** The end of the last place that is taken, in bytes. */
    public long endBytes() {
        return places.end() * UNIT_BYTES;
    }

    StorageFile file() {
        return file;
    }

    /** Its free places, whose monitor is a lock of the table. */
    public FreeSpaceMap places() {
        return places;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
