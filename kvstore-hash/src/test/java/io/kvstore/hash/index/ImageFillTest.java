package io.kvstore.hash.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.memory.MemoryBudget;
import io.kvstore.memory.MemoryBudget.Use;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An index that is filled from images of pages has their entries, and keeps its invariants. */
final class ImageFillTest {

    private static final int KEYS = 20_000;
    private static final long BUDGET_BYTES = 64 << 20;

    private final MemoryBudget budget = new MemoryBudget(BUDGET_BYTES);

    private record Image(int[] firstBits, long[] words) {

        Room fill(ImageFill into) {
            return into.fill(firstBits, words, words.length);
        }
    }

    /** The images of an index, and the hash of each place. */
    private record Images(List<Image> pages, Map<Long, Long> hashes, long takenBytes) {}

    private Images imagesOf(int hashBits, int keys) {
        List<Image> pages = new ArrayList<>();
        Map<Long, Long> hashes = new HashMap<>();
        try (KeyedIndex from = new KeyedIndex(budget, hashBits)) {
            for (int key = 0; key < keys; key++) {
                assertEquals(Room.RESERVED, from.put(key));
            }
            PageCopy page = new PageCopy();
            for (long prefix = 0; prefix != PageCopy.END; prefix = page.next()) {
                from.index.copy(prefix, page);
                Image image = new Image(new int[page.count()], new long[page.count()]);
                for (int i = 0; i < page.count(); i++) {
                    image.firstBits[i] = (int) (page.hash(i) >>> Integer.SIZE);
                    image.words[i] = EntryWord.of(page.hash(i), page.place(i));
                    hashes.put(page.place(i), page.hash(i));
                }
                pages.add(image);
            }
            assertEquals(keys, hashes.size());
            return new Images(pages, hashes, from.index.statistics().takenBytes());
        }
    }

    /** As a table is opened. With few bits all entries of a page may have one hash. */
    @ParameterizedTest
    @CsvSource({"64, 60000", "64, 2000", "64, 40", "6, 20000", "3, 2000", "1, 600"})
    void an_index_is_filled_page_by_page(int hashBits, int keys) {
        Images images = imagesOf(hashBits, keys);
        try (Directory filled = new Directory(budget, keys)) {
            ImageFill fill = new ImageFill(filled, keys);
            for (Image page : images.pages) {
                assertEquals(Room.RESERVED, page.fill(fill));
            }
            IndexCheck.check(filled, images.hashes);
            long taken = filled.statistics().takenBytes();
            assertTrue(taken <= images.takenBytes * 5 / 4, taken + " bytes, and " + images.takenBytes + " before");
        }
        assertEquals(0, budget.usedBytes());
    }

    /** Nothing but the entries counts: not where an image begins and ends, nor its order, nor a spill bit. */
    @ParameterizedTest
    @CsvSource({"64, 1", "64, 3", "64, 5000", "6, 1", "6, 500"})
    void images_may_be_cut_anywhere_and_come_in_any_order(int hashBits, int entriesAnImage) {
        Images images = imagesOf(hashBits, KEYS);
        SplittableRandom random = new SplittableRandom(entriesAnImage);
        List<Long> places = new ArrayList<>(images.hashes.keySet());
        places.sort((one, other) -> Long.compareUnsigned(hash(images, one), hash(images, other)));
        List<Image> cut = new ArrayList<>();
        for (int from = 0; from < KEYS; ) {
            int count = Math.min(KEYS - from, random.nextInt(entriesAnImage) + 1);
            Image image = new Image(new int[count], new long[count]);
            List<Long> some = places.subList(from, from + count);
            boolean isMixed = random.nextInt(4) == 0;
            if (isMixed) {
                Collections.shuffle(some, new Random(from));
            }
            for (int i = 0; i < count; i++) {
                long place = some.get(i);
                image.firstBits[i] = (int) (hash(images, place) >>> Integer.SIZE);
                image.words[i] = EntryWord.of(hash(images, place), place);
            }
            if (isMixed && random.nextBoolean()) {
                image.words[0] |= EntryWord.SPILL;
            }
            cut.add(random.nextInt(cut.size() + 1), image);
            from += count;
        }
        try (Directory filled = new Directory(budget, KEYS)) {
            ImageFill fill = new ImageFill(filled, KEYS);
            for (Image image : cut) {
                assertEquals(Room.RESERVED, image.fill(fill));
            }
            IndexCheck.check(filled, images.hashes);
        }
    }

    private static long hash(Images images, long place) {
        return images.hashes.getOrDefault(place, 0L);
    }

    /** What there is no memory for is refused. The index has all pages before, and perhaps a part of the refused one. */
    @Test
    void an_index_that_is_refused_memory_has_all_pages_before() {
        Images images = imagesOf(64, KEYS);
        long roomBytes = 0;
        int filledPages = 0;
        while (filledPages < images.pages.size()) {
            roomBytes += KEYS / 4;
            long others = mostBytes() - roomBytes;
            budget.take(Use.VALUE_TAIL, others);
            try (Directory filled = new Directory(budget, KEYS)) {
                ImageFill fill = new ImageFill(filled, KEYS);
                filledPages = 0;
                while (filledPages < images.pages.size()
                        && images.pages.get(filledPages).fill(fill) == Room.RESERVED) {
                    filledPages++;
                }
                Map<Long, Long> found = new HashMap<>();
                filled.forEachPage((places, count) -> {
                    for (int i = 0; i < count; i++) {
                        found.put(places[i], hash(images, places[i]));
                    }
                });
                IndexCheck.check(filled, found);
                Set<Long> filledPlaces = placesOf(images.pages.subList(0, filledPages));
                assertTrue(found.keySet().containsAll(filledPlaces), "a page is not whole");
                int tried = Math.min(filledPages + 1, images.pages.size());
                assertTrue(placesOf(images.pages.subList(0, tried)).containsAll(found.keySet()));
                assertEquals(found.size(), filled.entries());
            }
            budget.release(Use.VALUE_TAIL, others);
        }
        assertTrue(roomBytes < 20 * KEYS, roomBytes + " bytes are needed");
    }

    private static Set<Long> placesOf(List<Image> pages) {
        return pages.stream()
                .flatMapToLong(page -> Arrays.stream(page.words))
                .map(EntryWord::place)
                .boxed()
                .collect(Collectors.toSet());
    }

    /** The most bytes that the index can take now. */
    private long mostBytes() {
        long room = 0;
        for (long step = BUDGET_BYTES; step > 0; step /= 2) {
            room += budget.hasRoom(Use.HASH_INDEX, room + step) ? step : 0;
        }
        return room;
    }

    @Test
    void a_place_where_no_record_can_lie_is_refused() {
        Images images = imagesOf(64, 200);
        try (Directory filled = new Directory(budget, 200)) {
            Image page = images.pages.getFirst();
            page.words[page.words.length / 2] = EntryWord.of(1, 1L << EntryWord.OFFSET_BITS);
            assertThrows(IllegalArgumentException.class, () -> page.fill(new ImageFill(filled, 200)));
        }
    }
}
