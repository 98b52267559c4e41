package io.kvstore.hash.index;

import io.kvstore.memory.MemoryBudget;
import java.lang.foreign.MemorySegment;
import java.util.function.ObjIntConsumer;

/**
 * From the hash of a key to the place of its newest value, for all keys of a table. A directory leads to pages, and a page has
 * lines, each of which is one cache line of eight entries.
 *
 * <h2>Threads</h2>
 *
 * <p>One thread at a time changes the index. Its caller has the lock of the table, and calls all methods but {@link #find} with
 * it. Any thread may call that one, at any time before {@link #close}, without a lock.
 *
 * <h2>What a reader can rely on</h2>
 *
 * <p>A reader reads the word of a page in the directory, and then the lines of that page. Meanwhile the page may be replaced,
 * and its memory may have become that of other pages. This is harmless, for these reasons:
 *
 * <ol>
 *   <li>A record has its key, and the reader compares it. So a word of another page never gives a wrong value.
 *   <li>An entry of the reader's key that lies in that memory was the newest one at some moment of the call. A page is cleared
 *       before the directory leads to it, and a page of another prefix has no entry of this key.
 *   <li>A reader that finds nothing reads the word of the directory again, and begins again if it has changed. It was not
 *       changed and changed back, because the depth or the lines of the page at an index only ever increase.
 *   <li>An entry whose record has gone was replaced in its word. So the reader reads that word again if the check failed.
 * </ol>
 *
 * <p>docs/design/hash-table.md has the bits, and what growth does.
 */
public final class Directory implements AutoCloseable {

    /** What {@link #find} gives if there is no entry. No record lies there. */
    public static final long ABSENT = 0;

    private final PageMemory memory;
    private final DirectoryWords directory;
    private final Promises promises = new Promises();
    private final Growth growth;
    private long entries;

    /** An empty index, without memory outside the heap. */
    public Directory(MemoryBudget budget) {
        this(budget, 0);
    }

    /**
     * One that is filled from a file, page by page.
     *
     * @param expectedEntries the entries of the image, roughly
     */
    public Directory(MemoryBudget budget, long expectedEntries) {
        this(budget, (arena, bytes) -> arena.allocate(bytes, PageMemory.WORD_BYTES), expectedEntries);
    }

    Directory(MemoryBudget budget, PageMemory.PieceSource source, long expectedEntries) {
        this.directory = new DirectoryWords(expectedEntries);
        this.memory = new PageMemory(budget, source);
        this.growth = new Growth(directory, memory, promises);
    }

    /**
     * The place of the entry that has the hash and that the check accepts, or {@link #ABSENT}. For any thread. An entry is
     * found if it was there before the call and is not removed. The check may be called more than once for one place.
     */
    public long find(long hash, PlaceCheck check) {
        long page = directory.get(hash);
        while (true) {
            long place = look(page, hash, check);
            if (place != ABSENT) {
                return place;
            }
            long again = directory.get(hash);
            if (again == page) {
                return ABSENT;
            }
            page = again;
        }
    }

    private long look(long page, long hash, PlaceCheck check) {
        int lines = PageWord.lines(page);
        if (lines == 0) {
            return ABSENT;
        }
        MemorySegment piece = memory.piece(page);
        long start = PageMemory.wordsAt(page);
        int line = PageWord.home(page, hash);
        for (int left = PageWord.reach(page); left > 0; left--) {
            long at = start + PageMemory.wordsAt(line);
            long first = (long) PageMemory.WORD.getAcquire(piece, at);
            long word = first;
            for (int i = 0; i < PageMemory.LINE_WORDS; i++) {
                if (i > 0) {
                    word = (long) PageMemory.WORD.getAcquire(piece, at + (long) i * Long.BYTES);
                }
                if (EntryWord.fits(word, hash)) {
                    long place = check(piece, at + (long) i * Long.BYTES, hash, check);
                    if (place != ABSENT) {
                        return place;
                    }
                }
            }
            if (!EntryWord.isSpill(first)) {
                return ABSENT;
            }
            line = line + 1 == lines ? 0 : line + 1;
        }
        return ABSENT;
    }

    /** Shows the check what a word has, and again as long as the word changes meanwhile. */
    private static long check(MemorySegment piece, long at, long hash, PlaceCheck check) {
        long word = (long) PageMemory.WORD.getAcquire(piece, at);
        while (true) {
            if (EntryWord.fits(word, hash) && check.isOfKey(EntryWord.place(word))) {
                return EntryWord.place(word);
            }
            long again = (long) PageMemory.WORD.getAcquire(piece, at);
            if (EntryWord.isSame(again, word)) {
                return ABSENT;
            }
            word = again;
        }
    }

    /**
     * Reads the home lines of some hashes, so that all of them come from memory at the same time. The result has no meaning:
     * the caller uses it, so that no read is left out.
     */
    public long read(long[] hashes, int count, HomeLines into) {
        into.begin();
        for (int i = 0; i < count; i++) {
            long page = directory.get(hashes[i]);
            into.add(hashes[i], page, PageWord.lines(page) == 0 ? MemorySegment.NULL : memory.piece(page));
        }
        return into.read();
    }

    /** The place of an entry with the bits of a hash whose line was just read, or {@link #ABSENT}. */
    public long findFitting(HomeLines read, int at) {
        long place = read.fitting(at);
        return place == ABSENT && read.isSpilled(at) ? find(read.hash(at), any -> true) : place;
    }

    /**
     * Makes sure that an entry with this hash can be {@linkplain #insert inserted}: takes memory and grows a page if need be.
     * The room stays until it is used by {@link #insert} or given up by {@link #cancel}. If the room is refused, no entry and
     * no other promise has changed; pages may have grown.
     */
    public Room reserve(long hash) {
        memory.forgetMissing();
        try {
            promises.add(hash);
        } catch (OutOfMemoryError e) {
            return Room.NO_MEMORY;
        }
        Room room = growth.makeRoom(hash);
        if (room != Room.RESERVED) {
            promises.use(hash);
        }
        return room;
    }

    /** As {@link #reserve(long)} for several hashes, which may be equal: room for all of them or for none. */
    public Room reserve(long[] hashes, int count) {
        memory.forgetMissing();
        try {
            promises.add(hashes, count);
        } catch (OutOfMemoryError e) {
            return Room.NO_MEMORY;
        }
        directory.expect(entries + promises.open());
        Room room = Room.RESERVED;
        long enough = PageWord.NO_LINES;
        for (int i = 0; i < count && room == Room.RESERVED; i++) {
            if (enough == PageWord.NO_LINES || directory.get(hashes[i]) != enough) {
                room = growth.makeRoom(hashes[i]);
                enough = directory.get(hashes[i]); // with room for all promises of that page
            }
        }
        for (int i = 0; i < count && room != Room.RESERVED; i++) {
            promises.use(hashes[i]);
        }
        return room;
    }

    /** Counts the entries of a page that was made as a whole. */
    void filled(long hash, int added, int spilled) {
        growth.addToSpilled(spilled);
        directory.addToCount(hash, added);
        entries += added;
    }

    /** Whether the page of a hash has so many free words. */
    boolean hasWords(long hash, int free) {
        return directory.count(hash) + free <= PageWord.lines(directory.get(hash)) * PageMemory.LINE_WORDS;
    }

    /**
     * Grows the page of the first of some hashes, which are all of one page, while nothing is promised. Afterwards it has a
     * word for each of those that are in it then. If there is no memory for more, it has no others.
     */
    Room makeRoom(long[] hashes, int count) {
        promises.add(hashes, count);
        try {
            Room room = growth.makeRoom(hashes[0]);
            if (room != Room.RESERVED) {
                growth.notFilling();
                room = growth.makeRoom(hashes[0]);
            }
            return room;
        } finally {
            promises.forgetAll();
        }
    }

    /** Adds an entry to a page that has a free word, but none near its home line. */
    void insertInFullPage(long hash, long place) {
        promises.add(hash);
        insert(hash, place);
    }

    /** Gives up the room for one entry, because its key turned out to have an entry. */
    public void cancel(long hash) {
        if (!promises.use(hash)) {
            throw new IllegalStateException("no room was reserved for this hash");
        }
    }

    /** Adds an entry, for which there is room. The caller knows that its key has none. */
    public void insert(long hash, long place) {
        EntryWord.checkPlace(place);
        if (!promises.has(hash)) {
            throw new IllegalStateException("no room was reserved for this hash");
        }
        Page page = page(hash);
        int near = nearWord(page, prefix(hash));
        if (near >= 0) {
            put(page, near, hash, place);
        } else {
            putCrowded(page, hash, place);
        }
        promises.use(hash);
    }

    /** Adds an entry to a page that has no free word near its home line, or to the page that it becomes. */
    private void putCrowded(Page full, long hash, long place) {
        Page page = full;
        int prefix = prefix(hash);
        int near = -1;
        while (near < 0 && isHalfFull(hash, page) && growth.tryGrow(hash)) {
            page = page(hash);
            near = nearWord(page, prefix);
        }
        put(page, near >= 0 ? near : page.freeFrom(page.home(prefix), page.lines()), hash, place);
    }

    /** As {@link #insert(long, long)} for a hash whose line was read, before other entries were inserted perhaps. */
    public void insert(HomeLines read, int at, long place) {
        EntryWord.checkPlace(place);
        long hash = read.hash(at);
        int free = directory.get(hash) == read.page(at) ? read.free(at) : -1;
        Page line = read.line(at);
        if (free >= 0 && EntryWord.isFree(line.word(free)) && promises.use(hash)) {
            line.set(free, prefix(hash), EntryWord.of(hash, place));
            directory.addToCount(hash, 1);
            entries++;
        } else {
            insert(hash, place);
        }
    }

    private Page page(long hash) {
        return Page.at(memory, directory.get(hash));
    }

    private static int prefix(long hash) {
        return (int) (hash >>> Integer.SIZE);
    }

    private static int nearWord(Page page, int prefix) {
        return page.freeFrom(page.home(prefix), Math.min(page.lines(), PageWord.NEAR_LINES));
    }

    /** Whether a page is worth growing. Another page whose lines are full has many hashes that are alike. */
    private boolean isHalfFull(long hash, Page page) {
        return 2 * directory.count(hash) >= page.words();
    }

    void put(Page page, int index, long hash, long place) {
        if (index < 0) {
            throw new IllegalStateException("a page has no room for an entry that was promised room");
        }
        int home = page.home(prefix(hash));
        int line = index / PageMemory.LINE_WORDS;
        if (page.distance(home, line) >= PageWord.NEAR_LINES) {
            directory.set(hash, PageWord.far(directory.get(hash)));
        }
        for (int passed = home; passed != line; passed = page.next(passed)) {
            page.spill(passed);
        }
        page.set(index, prefix(hash), EntryWord.of(hash, place));
        growth.addToSpilled(line == home ? 0 : 1);
        directory.addToCount(hash, 1);
        entries++;
    }

    /** Replaces the place of an entry in one store. Returns false if there is no such entry. */
    public boolean replace(long hash, long oldPlace, long newPlace) {
        EntryWord.checkPlace(newPlace);
        Page page = page(hash);
        int index = indexOf(page, hash, oldPlace);
        if (index >= 0) {
            page.setWord(index, EntryWord.of(hash, newPlace));
        }
        return index >= 0;
    }

    /** Removes an entry. Returns false if there is no such entry. */
    public boolean remove(long hash, long place) {
        Page page = page(hash);
        int index = indexOf(page, hash, place);
        if (index >= 0) {
            free(page, index, hash);
        }
        return index >= 0;
    }

    void free(Page page, int index, long hash) {
        page.setWord(index, 0);
        growth.addToSpilled(index / PageMemory.LINE_WORDS == page.home(prefix(hash)) ? 0 : -1);
        directory.addToCount(hash, -1);
        entries--;
    }

    /** Whether there is an entry with exactly this hash and place. */
    public boolean contains(long hash, long place) {
        return indexOf(page(hash), hash, place) >= 0;
    }

    /** Whether an entry that {@link #find} meets has the first 32 bits of the hash, too. A word has the last bits only. */
    public boolean isOf(long hash, long place) {
        Page page = page(hash);
        int index = indexOf(page, hash, place);
        return index >= 0 && page.prefix(index) == prefix(hash);
    }

    private int indexOf(Page page, long hash, long place) {
        EntryWord.checkPlace(place);
        int reach = PageWord.reach(directory.get(hash));
        return page.find(page.home(prefix(hash)), reach, EntryWord.of(hash, place));
    }

    /**
     * Copies the entries of the page whose hashes may begin with the given 32 bits.
     *
     * @param prefix from 0 to 2^32 - 1, as {@link PageCopy#next} gives it
     */
    public void copy(long prefix, PageCopy into) {
        long hash = prefix << Integer.SIZE;
        long page = directory.get(hash);
        long last = PageWord.lastHash(page, hash);
        into.copy(Page.at(memory, page), (last >>> Integer.SIZE) + 1);
    }

    /**
     * The bytes that the budget did not have, after {@link #reserve} found {@link Room#NO_MEMORY}. 0 if the machine had no
     * memory, whatever the budget says.
     */
    public long missingBytes() {
        return memory.missingBytes();
    }

    /** Shows the places of all entries, page by page: an array that is valid during the call, and how many of it count. */
    public void forEachPage(ObjIntConsumer<long[]> visitor) {
        long[] places = new long[PageSizes.MOST_LINES * PageMemory.LINE_WORDS];
        long prefix = 0;
        while (prefix != PageCopy.END) {
            long hash = prefix << Integer.SIZE;
            long pageWord = directory.get(hash);
            Page page = Page.at(memory, pageWord);
            page.readWords(places);
            int count = 0;
            for (int i = 0; i < page.words(); i++) {
                long word = places[i];
                places[count] = EntryWord.place(word);
                count += EntryWord.isFree(word) ? 0 : 1;
            }
            visitor.accept(places, count);
            prefix = (PageWord.lastHash(pageWord, hash) >>> Integer.SIZE) + 1;
        }
    }

    /** How many entries there are. */
    public long entries() {
        return entries;
    }

    public IndexStatistics statistics() {
        long lines = memory.usedLines();
        return new IndexStatistics(
                entries,
                directory.pages(),
                lines,
                lines * PageMemory.LINE_BYTES + directory.bytes(),
                memory.takenBytes(),
                growth.spilled(),
                growth.moved());
    }

    /** Gives all memory back. No thread may use the index any more. */
    @Override
    public void close() {
        memory.close();
    }

    DirectoryWords directory() {
        return directory;
    }

    PageMemory memory() {
        return memory;
    }

    Growth growth() {
        return growth;
    }
}
