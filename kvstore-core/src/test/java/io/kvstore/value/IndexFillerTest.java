package io.kvstore.value;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.KeyHash;
import io.kvstore.memory.UnusedMemory;
import io.kvstore.value.index.HashIndex;
import io.kvstore.value.segment.ValuePointer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When the index is made, filled and given back, and what it may say then. */
final class IndexFillerTest extends ValueLogFixture {

    private static final int FEW_KEYS = 200;
    private static final long LARGEST_BYTES = 256 << 10;

    private final HashIndex places = new HashIndex(memory, LARGEST_BYTES, new KeyHash(7));
    private final ValueIndex index = new ValueIndex(places, values);
    private final TestKeys keys = new TestKeys();
    private final IndexFiller filler = new IndexFiller(memory, index, keys);

    /** Numbers from 0 on. One of them is told at a time. */
    private final class TestKeys implements IndexFiller.Keys {

        private final List<Integer> told = new ArrayList<>();
        private int count = FEW_KEYS;
        private int failsAt = -1;
        private boolean areAll = true;
        private boolean isOperationUnderWay;
        private Runnable beforeTelling = () -> {};

        @Override
        public long count() {
            return count;
        }

        @Override
        public void grow() {
            places.grow();
        }

        @Override
        public byte @Nullable [] tell(byte[] from) throws IOException {
            int number = from.length == 0 ? 0 : ByteBuffer.wrap(from).getInt();
            beforeTelling.run();
            if (number == failsAt) {
                throw new IOException("as the test wants");
            }
            told.add(number);
            places.put(key(number), new ValuePointer(1, number, 0));
            places.settle();
            boolean isLast = number + 1 == count;
            if (isLast && areAll) {
                places.filled();
            }
            return isLast ? null : key(number + 1);
        }

        @Override
        public void tryBetweenOperations(Runnable work) {
            if (!isOperationUnderWay) {
                work.run();
            }
        }
    }

    @AfterEach
    void close() {
        filler.close();
        places.close();
    }

    private boolean isWantedAfter(long searches) {
        for (long i = 1; i < searches; i++) {
            index.noteSearch();
            assertFalse(filler.isWanted(), i + " searches");
        }
        index.noteSearch();
        return filler.isWanted();
    }

    private void fill() throws IOException {
        assertTrue(isWantedAfter(256), "the first multiple of 64 that is not less than the number of keys");
        filler.run();
        assertEquals(keys.count, keys.told.size());
        assertFalse(filler.isWanted() || filler.isDue());
    }

    private long find(int number) {
        return places.find(places.keyHash().of(key(number)));
    }

    @Test
    void an_index_that_knew_all_keys_is_filled_again_when_it_grew() throws IOException {
        fill();
        assertEquals(HashIndex.ABSENT, find(FEW_KEYS));
        keys.count = 4_000;
        assertTrue(filler.isDue());
        keys.beforeTelling = () -> assertEquals(HashIndex.UNKNOWN, find(4_000), "it does not know them yet");
        filler.run();
        assertEquals(FEW_KEYS + 4_000, keys.told.size());
        assertEquals(HashIndex.ABSENT, find(4_000));
        assertEquals(LARGEST_BYTES, places.bytes());
    }

    @Test
    void another_one_is_filled_again_when_gets_want_it_and_there_is_more_to_know() throws IOException {
        keys.areAll = false;
        fill();
        for (int i = 0; i < FEW_KEYS; i++) {
            places.forget(key(i));
        }
        assertFalse(isWantedAfter(256), "it was told of the same keys already");
        keys.count = 4_000;
        assertTrue(filler.isDue());
        filler.run();
        assertEquals(FEW_KEYS, keys.told.size());
        assertTrue(isWantedAfter(4_032));
        filler.run();
        assertEquals(FEW_KEYS + 4_000, keys.told.size());
        assertEquals(HashIndex.UNKNOWN, find(4_000), "nobody said that these are all");
    }

    @Test
    void a_walk_that_failed_tells_nothing_of_absent_keys_and_begins_again_later() throws IOException {
        keys.failsAt = FEW_KEYS - 2; // it has told of enough keys then, but absent ones are not known
        assertTrue(isWantedAfter(256));
        failAndFillAgain();
    }

    @Test
    void a_walk_that_failed_begins_again_also_if_an_earlier_one_had_the_same_keys_and_memory() throws IOException {
        fill();
        UnusedMemory.Given given = filler.giveBackAny(Long.MAX_VALUE);
        given.free().run();
        keys.failsAt = 0;
        assertTrue(isWantedAfter(256));
        failAndFillAgain();
    }

    @Test
    void each_failure_doubles_the_searches_before_the_next_walk() throws IOException {
        keys.failsAt = 0;
        assertTrue(isWantedAfter(256));
        for (long patience = 8; patience <= 1_024; patience *= 2) {
            assertThrows(IOException.class, filler::run);
            assertTrue(isWantedAfter(patience * FEW_KEYS), "of " + patience);
        }
        assertThrows(IOException.class, filler::run);
        assertTrue(isWantedAfter(1_024 * FEW_KEYS));
    }

    private void failAndFillAgain() throws IOException {
        assertThrows(IOException.class, filler::run);
        assertFalse(filler.isDue());
        assertEquals(HashIndex.UNKNOWN, find(FEW_KEYS));
        keys.failsAt = -1;
        keys.told.clear();
        assertTrue(isWantedAfter(8 * FEW_KEYS));
        filler.run();
        assertEquals(FEW_KEYS, keys.told.size());
        assertEquals(HashIndex.ABSENT, find(FEW_KEYS));
    }

    @Test
    void its_memory_is_given_back_only_between_operations_and_between_runs() throws IOException {
        keys.beforeTelling = () -> assertEquals(UnusedMemory.Given.NONE, filler.giveBackAny(Long.MAX_VALUE));
        fill();
        keys.isOperationUnderWay = true;
        assertEquals(UnusedMemory.Given.NONE, filler.giveBackAny(Long.MAX_VALUE));
        keys.isOperationUnderWay = false;
        UnusedMemory.Given given = filler.giveBackAny(Long.MAX_VALUE);
        assertEquals(16 << 10, given.bytes());
        given.free().run();
        assertEquals(0, places.bytes());
        assertFalse(filler.isDue());
        keys.told.clear();
        fill();
    }

    @Test
    void closing_ends_a_walk() throws IOException {
        keys.beforeTelling = () -> {
            if (keys.told.size() == 5) {
                filler.close();
            }
        };
        assertTrue(isWantedAfter(256));
        filler.run();
        assertEquals(6, keys.told.size());
        assertEquals(HashIndex.UNKNOWN, find(FEW_KEYS));
        memory.unused().forEach(holder -> assertNotSame(filler, holder));
    }
}
