package io.kvstore.bplus.file;

import io.kvstore.engine.Findings;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the pages of a damaged page file, to be read only.
 *
 * <p>The newest superblock counts if all three slots can be read. Where the map behind it is damaged, the pages of the missing
 * part are looked for in the whole file: of each page id the version with the greatest lsn that is not above the superblock's.
 * Without a superblock the newest version of each page counts, and the tree begins at the page of the highest level. Places
 * that were freed still have pages, so entries that were removed may be back then, and entries may be missing that a page had
 * given to another one.
 */
final class DamagedPages {

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final int LEVEL_AT = 4;
    private static final int UNITS_AT = 6;
    private static final int ID_AT = 8;
    private static final int LSN_AT = 16;

    /** Behind the last id that the map of a table can have. */
    private static final long END_OF_IDS = (long) Superblock.MAX_DIRECTORIES * PageMap.CHUNK * PageMap.CHUNK;

    private final StorageFile file;
    private final int fileTag;
    private final PageFile pages;
    private final Findings losses;
    private final PageMap map = new PageMap();

    /** The newest version of each page that was found. */
    private final Map<Long, Found> found = new HashMap<>();

    private boolean isIncomplete;
    private @Nullable Superblock state;

    /** The parts of the map that cannot be read, in chunks. */
    private final BitSet unknown = new BitSet();

    private record Found(long location, int level, long lsn) {}

    private DamagedPages(StorageFile file, int fileTag, Findings losses) {
        this.file = file;
        this.fileTag = fileTag;
        this.pages = new PageFile(file, fileTag, new FreeSpaceMap());
        this.losses = losses;
    }

    /**
     * Opens what there is.
     *
     * @param file the caller closes it if this fails
     * @return whose list of value segments is empty if it cannot be read
     */
    static PageStore open(StorageFile file, int fileTag, Findings losses) throws IOException {
        return new DamagedPages(file, fileTag, losses).run();
    }

    private PageStore run() throws IOException {
        state = superblock();
        byte[] values = {};
        Superblock newest = state;
        if (newest != null) {
            loadMap(newest);
            values = values(newest);
        }
        if (newest == null || isIncomplete) {
            search(newest == null ? Long.MAX_VALUE : newest.lsn());
            for (Map.Entry<Long, Found> page : found.entrySet()) {
                if (isUnknown(page.getKey())) {
                    map.set(page.getKey(), page.getValue().location());
                }
            }
        }
        Superblock known = newest == null ? withoutSuperblock() : newest;
        return PageStore.ofDamaged(file, fileTag, known, map, values);
    }

    /** Whether the map does not say where a page is: 0 in a part that was read is a page that was freed. */
    private boolean isUnknown(long id) {
        return state == null || unknown.get((int) (id / PageMap.CHUNK));
    }

    /** Null if the newest one may be lost. */
    private @Nullable Superblock superblock() throws IOException {
        List<Superblock> whole = new ArrayList<>();
        boolean isWhole = true;
        for (int slot = 0; slot < PageStore.SLOTS; slot++) {
            byte[] bytes = new byte[PageFile.UNIT_BYTES];
            if ((slot + 1L) * bytes.length <= file.size()) {
                file.readFully(ByteBuffer.wrap(bytes), (long) slot * bytes.length);
            }
            if (!isZero(bytes)) { // a slot that was never used
                try {
                    Superblock read = Superblock.read(file.path(), bytes, slot, fileTag);
                    read.requireSound(file.path(), slot);
                    whole.add(read);
                } catch (CorruptionException e) {
                    losses.report(e);
                    isWhole = false;
                }
            }
        }
        return isWhole && !whole.isEmpty() ? newestOf(whole) : null;
    }

    private @Nullable Superblock newestOf(List<Superblock> whole) throws IOException {
        try {
            Superblock newest = Superblocks.newestOf(file.path(), whole);
            newest.requireWithin(file.path(), file.size());
            return newest;
        } catch (CorruptionException e) {
            losses.report(e);
            return null;
        }
    }

    private static boolean isZero(byte[] bytes) {
        for (byte one : bytes) {
            if (one != 0) {
                return false;
            }
        }
        return true;
    }

    private void loadMap(Superblock of) throws IOException {
        PageMap mapPages = new PageMap();
        for (int i = 0; i < of.directories().size(); i++) {
            int first = PageMap.CHUNK * i;
            if (!load(mapPages, PageStore.DIRECTORY_ID | i, of.directories().get(i), first)) {
                unknown.set(first, first + PageMap.CHUNK);
            }
        }
        for (int i = 0; i < mapPages.end(); i++) {
            if (!load(map, PageStore.MAP_ID | i, mapPages.get(i), (long) PageMap.CHUNK * i)) {
                unknown.set(i);
            }
        }
        if (!unknown.isEmpty()) {
            losses.report(
                    file.path(),
                    -1,
                    "a part of the map of pages is lost, and its pages are looked for: removed entries may be back");
        }
    }

    /** Returns false if the page is damaged. */
    private boolean load(PageMap target, long id, long location, long first) throws IOException {
        MemorySegment page = location == 0 ? null : table(id, location);
        long units = file.size() / PageFile.UNIT_BYTES;
        for (int i = 0; page != null && i < PageMap.CHUNK; i++) {
            long entry = page.get(LONG, PageStore.HEADER_BYTES + (long) Long.BYTES * i);
            if (entry != 0 && Location.isWithin(entry, units)) {
                target.set(first + i, entry);
            } else if (entry != 0) {
                losses.report(file.path(), -1, "page " + (first + i) + " is said to be where the file has no page");
            }
        }
        return location == 0 || page != null;
    }

    private @Nullable MemorySegment table(long id, long location) throws IOException {
        MemorySegment page = MemorySegment.ofArray(new byte[Location.units(location) * PageFile.UNIT_BYTES]);
        try {
            pages.read(id, location, page);
            PageStore.requireTable(file.path(), id, location, page);
            return page;
        } catch (CorruptionException e) {
            losses.report(e);
            isIncomplete = true;
            return null;
        }
    }

    private byte[] values(Superblock of) throws IOException {
        MemorySegment page = of.values() == 0 ? null : table(PageStore.VALUES_ID, of.values());
        return page == null ? new byte[0] : page.asSlice(PageStore.HEADER_BYTES).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Looks at every unit of the file for the beginning of a page of the tree. */
    private void search(long mostLsn) throws IOException {
        long units = file.size() / PageFile.UNIT_BYTES;
        MemorySegment head = MemorySegment.ofArray(new byte[PageStore.HEADER_BYTES]);
        for (long place = PageStore.SLOTS; place < units; place++) {
            file.readFully(head.asByteBuffer(), place * PageFile.UNIT_BYTES);
            int length = head.get(SHORT, UNITS_AT) & 0xFFFF;
            long id = head.get(LONG, ID_AT);
            long lsn = head.get(LONG, LSN_AT);
            boolean mayBe = length > 0
                    && length <= Location.MAX_UNITS
                    && place + length <= units
                    && id > 0
                    && id < END_OF_IDS
                    && lsn <= mostLsn;
            Found before = found.get(id);
            if (mayBe && (before == null || before.lsn() < lsn)) {
                long location = pages.locate(id, place, length);
                if (location != 0) {
                    found.put(id, new Found(location, head.get(ValueLayout.JAVA_BYTE, LEVEL_AT) & 0xFF, lsn));
                }
            }
        }
    }

    private Superblock withoutSuperblock() {
        long root = 0;
        long next = 1;
        long lsn = 0;
        Found best = null;
        for (Map.Entry<Long, Found> entry : found.entrySet()) {
            Found page = entry.getValue();
            next = Math.max(next, entry.getKey() + 1);
            lsn = Math.max(lsn, page.lsn());
            if (best == null
                    || page.level() > best.level()
                    || (page.level() == best.level() && page.lsn() > best.lsn())) {
                best = page;
                root = entry.getKey();
            }
        }
        losses.report(
                file.path(),
                0,
                "without its superblock the table is made of the newest pages in the file: entries may be missing, and"
                        + " removed ones may be back");
        return new Superblock(1, lsn, root, next, 0, 0, List.of());
    }
}
