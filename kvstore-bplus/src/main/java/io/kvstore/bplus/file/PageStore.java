package io.kvstore.bplus.file;

import io.kvstore.bplus.page.Node;
import io.kvstore.bytes.ByteReader;
import io.kvstore.engine.DurabilityBarrier;
import io.kvstore.engine.Findings;
import io.kvstore.engine.HeldFile;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.AtomicFile;
import io.kvstore.io.NoSpaceException;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import io.kvstore.io.UncertainOutcomeException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The state of a table on disk: the page file with its superblocks, and the map from page ids to places as the last checkpoint
 * left it. The map lies in map pages, of 504 locations each. Directory pages have the locations of the map pages, and the
 * superblock has those of the directory pages.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>Nothing that the newest durable superblock leads to is ever written again: pages, map pages and directories go to free
 *       places. The places of the old ones become free when the next superblock is durable.
 *   <li>A superblock is written when all that it leads to is durable, into the slot of the oldest of three. So a crash leaves
 *       the new state or the one before.
 *   <li>A process that was killed may have left a superblock that is not durable. Before anything rests on that superblock, it
 *       is written once more, into the next slot, and synced. That touches neither it nor the one before.
 *   <li>A failed sync is final: the contents of the disk are not known. So is a failed write of a superblock, unless the disk
 *       is full. Any other failure leaves the state as it was, and the places that were taken are given back.
 * </ol>
 *
 * <p>For one thread at a time, except for the pages of {@link #pages()}.
 */
public final class PageStore implements AutoCloseable {

    public static final String NAME = "PAGES";

    static final long MAP_ID = 1L << 41;
    static final long DIRECTORY_ID = 1L << 42;
    static final long VALUES_ID = 1L << 43;
    static final int HEADER_BYTES = 64;
    static final int SLOTS = 3;
    private static final int FAR_UNITS = 64;

    /** Bytes of a page that an entry takes, however short its key and value are. */
    private static final int LEAST_ENTRY_BYTES = 16;

    /** Reading this many pages takes some tens of milliseconds. */
    private static final int VERIFIED_PAGES = 256;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final int fileTag;
    private final PageFile pages;
    private final PageMap map;
    private final PageMap mapPages = new PageMap();
    private Superblock newest;
    private byte[] values = {};
    private volatile boolean failed;

    /** While a checkpoint packs, pages behind this place are far; 0 at other times. */
    private volatile long packedUnits;

    private PageStore(PageFile pages, int fileTag, Superblock newest, PageMap map) {
        this.pages = pages;
        this.map = map;
        this.fileTag = fileTag;
        this.newest = newest;
    }

    /** Makes the file of a new table; the file is durable on return. A crash leaves no file of that name, or all of it. */
    public static void create(Storage storage, String directory, int fileTag) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(SLOTS * PageFile.UNIT_BYTES);
        bytes.put(slotOf(Superblock.EMPTY), Superblock.EMPTY.write(fileTag));
        AtomicFile.write(storage, directory + "/" + NAME, bytes);
    }

    /**
     * Opens the file as the last checkpoint left it.
     *
     * @param file the caller closes it if this fails
     * @throws CorruptionException if it is damaged, or is the file of another table
     */
    public static PageStore open(StorageFile file, int fileTag) throws IOException {
        Superblock newest = Superblocks.newest(file, fileTag);
        FreeSpaceMap places = new FreeSpaceMap();
        places.take(0, SLOTS);
        PageStore pageStore = new PageStore(new PageFile(file, fileTag, places), fileTag, newest, new PageMap());
        pageStore.load();
        return pageStore;
    }

    /** The state of a damaged file, to be read only. */
    static PageStore ofDamaged(StorageFile file, int fileTag, Superblock newest, PageMap map, byte[] values) {
        PageStore pageStore = new PageStore(new PageFile(file, fileTag, new FreeSpaceMap()), fileTag, newest, map);
        pageStore.values = values;
        return pageStore;
    }

    private static int slotOf(Superblock superblock) {
        return (int) (superblock.sequence() % SLOTS) * PageFile.UNIT_BYTES;
    }

    private void load() throws IOException {
        long units = pages.file().size() / PageFile.UNIT_BYTES;
        for (int i = 0; i < newest.directories().size(); i++) {
            long location = newest.directories().get(i);
            if (location != 0) {
                loadInto(mapPages, DIRECTORY_ID | i, location, units);
            }
        }
        for (long i = 0; i < mapPages.end(); i++) {
            if (mapPages.get(i) != 0) {
                loadInto(map, MAP_ID | i, mapPages.get(i), units);
            }
        }
        for (long id = 0; id < map.end(); id++) {
            if (map.get(id) != 0) {
                take(id, map.get(id), units);
            }
        }
        requireState();
        map.clean();
        mapPages.clean();
        if (newest.values() != 0) {
            take(VALUES_ID, newest.values(), units);
            MemorySegment page = MemorySegment.ofArray(new byte[Location.units(newest.values()) * PageFile.UNIT_BYTES]);
            pages.read(VALUES_ID, newest.values(), page);
            requireTable(pages.file().path(), VALUES_ID, newest.values(), page);
            values = page.asSlice(HEADER_BYTES).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private void loadInto(PageMap target, long id, long location, long fileUnits) throws IOException {
        take(id, location, fileUnits);
        MemorySegment page = MemorySegment.ofArray(new byte[Location.units(location) * PageFile.UNIT_BYTES]);
        pages.read(id, location, page);
        requireTable(pages.file().path(), id, location, page);
        long first = PageMap.CHUNK * (id & ~(MAP_ID | DIRECTORY_ID));
        for (int i = 0; i < PageMap.CHUNK; i++) {
            long found = page.get(LONG, HEADER_BYTES + (long) Long.BYTES * i);
            if (found != 0) {
                target.set(first + i, found);
            }
        }
    }

    /** Throws if a page that is not one of the tree does not say what it is. */
    static void requireTable(String file, long id, long location, MemorySegment page) {
        boolean isRight = page.get(LONG, Long.BYTES) == id && (id == VALUES_ID || Location.units(location) == 1);
        for (long at = 2L * Long.BYTES; at < HEADER_BYTES; at += Long.BYTES) {
            isRight &= page.get(LONG, at) == 0;
        }
        if (!isRight) {
            throw new CorruptionException(
                    file,
                    Location.place(location) * PageFile.UNIT_BYTES,
                    "page " + id + " says that it is another one");
        }
    }

    private void take(long id, long location, long fileUnits) {
        long place = Location.place(location);
        boolean isFree =
                Location.isWithin(location, fileUnits) && pages.places().take(place, Location.units(location));
        if (!isFree || id == 0) {
            throw new CorruptionException(
                    pages.file().path(),
                    place * PageFile.UNIT_BYTES,
                    "page " + id + " is where another one is, or behind the end of the file");
        }
    }

    /** The superblock, and the map to which it leads, agree. */
    private void requireState() {
        long last = map.last();
        long bytes = pages.places().takenUnits() * PageFile.UNIT_BYTES;
        boolean agrees = last < newest.nextPageId()
                && (newest.rootId() == 0 ? last == 0 : map.get(newest.rootId()) != 0)
                && newest.entries() <= bytes / LEAST_ENTRY_BYTES;
        if (!agrees) {
            throw new CorruptionException(
                    pages.file().path(),
                    slotOf(newest),
                    "the superblock has root " + newest.rootId() + ", " + newest.entries() + " entries and pages below "
                            + newest.nextPageId() + ", which its map does not have");
        }
    }

    public Superblock newest() {
        return newest;
    }

    /** The list of value segments of the last checkpoint; zeros may follow. */
    public ByteReader values() {
        return new ByteReader(pages.file().path(), values);
    }

    /** The location of a page at the last checkpoint; 0 if it had none. */
    public long location(long id) {
        return map.get(id);
    }

    /** Only page ids below this one may have had a place at the last checkpoint. */
    public long endOfIds() {
        return map.last() + 1;
    }

    public PageFile pages() {
        return pages;
    }

    /** Makes the state durable that was found, even if the process that wrote it left that undone. */
    void confirm() throws IOException {
        Superblock next = newest.following();
        write(next);
        sync();
        newest = next;
    }

    /** Sets the location of a page, or nowhere if 0. The next {@link #commit} brings it to the disk. */
    public void set(long id, long location) {
        map.set(id, location);
    }

    /**
     * Makes all locations that were set durable, as one step, with the list of value segments and the fields of {@code wanted},
     * except for sequence and locations. The barrier is told when all is durable but the superblock.
     *
     * @throws UncertainOutcomeException if it is not known whether the step is durable; any other failure leaves the state as
     *     it was
     */
    public void commit(Superblock wanted, byte[] nextValues, DurabilityBarrier barrier) throws IOException {
        Rewrite rewrite = new Rewrite(nextValues);
        Superblock next;
        boolean written = false;
        try {
            rewrite.run();
            sync();
            barrier.beforeCommitPoint(wanted.lsn());
            next = new Superblock(
                    newest.sequence() + 1,
                    wanted.lsn(),
                    wanted.rootId(),
                    wanted.nextPageId(),
                    wanted.entries(),
                    rewrite.valuesLocation,
                    List.of(rewrite.directories));
            write(next);
            written = true;
        } finally {
            if (!written && !failed) {
                rewrite.undo();
            }
        }
        sync();
        newest = next;
        values = nextValues;
        map.clean();
        mapPages.clean();
        rewrite.replaced.forEach(pages::free);
    }

    /** A full disk leaves at most a torn superblock in the oldest slot. */
    private void write(Superblock next) throws IOException {
        try {
            pages.file().write(ByteBuffer.wrap(next.write(fileTag)), slotOf(next));
        } catch (NoSpaceException e) {
            throw e;
        } catch (Throwable e) {
            failed = true;
            throw new UncertainOutcomeException(pages.file().path() + ": a superblock could not be written", e);
        }
    }

    private void sync() throws UncertainOutcomeException {
        try {
            pages.file().sync();
        } catch (Throwable e) {
            failed = true;
            throw new UncertainOutcomeException(pages.file().path() + " could not be synced", e);
        }
    }

    /**
     * Whether a commit ended in a final failure. The next opening may then find the superblock of that commit. So nothing that
     * it leads to may be given back any more, although the newest superblock here does not have it.
     */
    public boolean hasFailed() {
        return failed;
    }

    /** The map and directory pages of one commit. */
    private final class Rewrite {

        private final List<Long> replaced = new ArrayList<>();
        private final List<Long> written = new ArrayList<>();
        private final PageMap before = new PageMap();
        private final BitSet touched = new BitSet();
        private final byte[] nextValues;
        private Long[] directories = {};
        private long valuesLocation;

        Rewrite(byte[] nextValues) {
            this.nextValues = nextValues;
        }

        void run() throws IOException {
            touchFar();
            valuesLocation = newest.values();
            if (!Arrays.equals(nextValues, values) || isFar(valuesLocation)) {
                writeValues();
            }
            BitSet changed = map.changed();
            for (int chunk = changed.nextSetBit(0); chunk >= 0; chunk = changed.nextSetBit(chunk + 1)) {
                before.set(chunk, mapPages.get(chunk));
                touched.set(chunk);
                mapPages.set(chunk, write(MAP_ID | chunk, map.chunk(chunk), mapPages.get(chunk)));
            }
            if (mapPages.chunks() > Superblock.MAX_DIRECTORIES) {
                throw new IOException(pages.file().path() + " has as many pages as a table can have");
            }
            int known = newest.directories().size();
            directories = new Long[mapPages.chunks()];
            Arrays.setAll(directories, i -> i < known ? newest.directories().get(i) : Long.valueOf(0));
            BitSet changedDirectories = mapPages.changed();
            for (int i = changedDirectories.nextSetBit(0); i >= 0; i = changedDirectories.nextSetBit(i + 1)) {
                directories[i] = write(DIRECTORY_ID | i, mapPages.chunk(i), directories[i]);
            }
        }

        private void writeValues() throws IOException {
            if (valuesLocation != 0) {
                replaced.add(valuesLocation);
                valuesLocation = 0;
            }
            if (nextValues.length > 0) {
                int units = (HEADER_BYTES + nextValues.length + PageFile.UNIT_BYTES - 1) / PageFile.UNIT_BYTES;
                if (units > Location.MAX_UNITS) {
                    throw new IOException(pages.file().path() + " has as many value segments as a table can have");
                }
                MemorySegment page = MemorySegment.ofArray(new byte[units * PageFile.UNIT_BYTES]);
                page.set(LONG, Long.BYTES, VALUES_ID);
                MemorySegment.copy(nextValues, 0, page, ValueLayout.JAVA_BYTE, HEADER_BYTES, nextValues.length);
                valuesLocation = pages.write(VALUES_ID, page);
                written.add(valuesLocation);
            }
        }

        /** Moves map pages that lie far behind to the front, so that the file can become shorter. */
        private void touchFar() {
            for (int i = 0; i < mapPages.end(); i++) {
                if (isFar(mapPages.get(i))) {
                    map.touch(i);
                }
            }
            for (int i = 0; i < newest.directories().size(); i++) {
                if (isFar(newest.directories().get(i))) {
                    mapPages.touch(i);
                }
            }
        }

        private long write(long id, long[] locations, long old) throws IOException {
            if (old != 0) {
                replaced.add(old);
            }
            if (Arrays.stream(locations).allMatch(location -> location == 0)) {
                return 0;
            }
            MemorySegment page = MemorySegment.ofArray(new byte[PageFile.UNIT_BYTES]);
            page.set(LONG, Long.BYTES, id);
            MemorySegment.copy(locations, 0, page, LONG, HEADER_BYTES, locations.length);
            long location = pages.write(id, page);
            written.add(location);
            return location;
        }

        void undo() {
            touched.stream().forEach(chunk -> mapPages.set(chunk, before.get(chunk)));
            written.forEach(pages::free);
        }
    }

    /**
     * Says which pages the next checkpoint moves to the front. Usually these are the pages behind twice the places in use; with
     * packing, the pages behind one and a quarter times those places. Packing a file may write each page once more.
     */
    public void packs(boolean packs) {
        packedUnits = packs ? packedUnits() : 0;
    }

    private long packedUnits() {
        return 5 * pages.places().takenUnits() / 4 + FAR_UNITS;
    }

    /** By how many bytes the file is longer than a packed one. */
    public long spreadBytes() {
        return Math.max(0, pages.endBytes() - packedUnits() * PageFile.UNIT_BYTES);
    }

    /** Whether a page lies so far behind that it is to move to the front; see {@link #packs}. */
    public boolean isFar(long location) {
        long packed = packedUnits;
        long near = packed > 0 ? packed : 2 * pages.places().takenUnits() + FAR_UNITS;
        return location != 0 && Location.place(location) > near;
    }

    /** Cuts off the file behind the last place that is taken. No place is given meanwhile. */
    public void truncate() throws IOException {
        synchronized (pages.places()) {
            long end = Math.max(SLOTS, pages.places().fileEnd()) * PageFile.UNIT_BYTES;
            if (pages.file().size() > end) {
                pages.file().truncate(end);
            }
        }
    }

    /** Holds the state of the newest superblock. No checkpoint may be under way meanwhile. */
    public HeldFile hold() throws IOException {
        LongStream ofMap = LongStream.concat(
                LongStream.range(0, mapPages.end()).map(mapPages::get),
                LongStream.range(0, map.end()).map(map::get));
        LongStream ofSuperblock = LongStream.concat(
                newest.directories().stream().mapToLong(Long::longValue), LongStream.of(newest.values()));
        long[] sorted = LongStream.concat(ofSuperblock, ofMap)
                .filter(location -> location != 0)
                .sorted()
                .toArray();
        return new HeldPages(pages, newest, slotOf(newest), sorted).hold();
    }

    /**
     * Reads some of the pages that the last checkpoint refers to, from an id on. No other checkpoint may replace it meanwhile.
     * Returns the id to go on from.
     */
    public long verify(long from, Findings findings) throws IOException {
        long end = Math.min(endOfIds(), from + VERIFIED_PAGES);
        for (long id = from; id < end; id++) {
            findings.requireGoing();
            long location = map.get(id);
            if (location != 0) {
                try {
                    MemorySegment page =
                            MemorySegment.ofArray(new byte[Location.units(location) * PageFile.UNIT_BYTES]);
                    pages.readNode(id, location, page, true);
                    if (Node.lsn(page) > newest.lsn()) {
                        String message = "page " + id + " is of lsn " + Node.lsn(page) + ", after its checkpoint";
                        findings.report(pages.file().path(), Location.place(location) * PageFile.UNIT_BYTES, message);
                    }
                } catch (CorruptionException e) {
                    findings.report(e.file(), e.offset(), String.valueOf(e.getMessage()));
                }
            }
        }
        return end;
    }

    @Override
    public void close() throws IOException {
        pages.close();
    }
}
