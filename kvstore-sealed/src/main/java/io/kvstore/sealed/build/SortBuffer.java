package io.kvstore.sealed.build;

import io.kvstore.bytes.Slice;
import io.kvstore.data.KeyHead;
import io.kvstore.data.KeySort;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Entries in memory, in the order in which they were given, until they are sorted. Its arrays are used again and again. */
final class SortBuffer implements KeySort.Keys {

    private static final int MOST_CHUNK_BYTES = 1 << 20;

    /** Memory is taken in arrays of this part of it, because the last one may be empty. */
    private static final int CHUNKS = 16;

    /** Numbers of an entry, and what sorting takes for it. */
    private static final int ENTRY_BYTES = 56;

    private static final int FEW_ENTRIES = 1_024;

    private final long mostBytes;
    private final int chunkBytes;
    private final List<byte[]> chunks = new ArrayList<>();
    private int chunk = -1;
    private int chunkUsed;

    /** Of the arrays that are in use, whole, and of the numbers of all entries. */
    private long bytes;

    private int count;
    private int[] entryChunks = new int[FEW_ENTRIES];
    private int[] starts = new int[FEW_ENTRIES];
    private int[] keyBytes = new int[FEW_ENTRIES];
    private int[] valueBytes = new int[FEW_ENTRIES];

    /** @param mostBytes of the heap; the last entry may lie above it */
    SortBuffer(long mostBytes) {
        this.mostBytes = mostBytes;
        this.chunkBytes = (int) Math.min(mostBytes / CHUNKS, MOST_CHUNK_BYTES);
    }

    boolean isFull() {
        return bytes >= mostBytes;
    }

    int count() {
        return count;
    }

    /** The memory of all arrays, those that wait for their next use among them. */
    long heldBytes() {
        return chunks.stream().mapToLong(array -> array.length).sum();
    }

    void add(byte[] key, byte[] value) {
        int length = Math.addExact(key.length, value.length);
        if (count == starts.length) {
            int more = Math.multiplyExact(2, count);
            entryChunks = Arrays.copyOf(entryChunks, more);
            starts = Arrays.copyOf(starts, more);
            keyBytes = Arrays.copyOf(keyBytes, more);
            valueBytes = Arrays.copyOf(valueBytes, more);
        }
        byte[] target = room(length);
        System.arraycopy(key, 0, target, chunkUsed, key.length);
        System.arraycopy(value, 0, target, chunkUsed + key.length, value.length);
        entryChunks[count] = chunk;
        starts[count] = chunkUsed;
        keyBytes[count] = key.length;
        valueBytes[count] = value.length;
        count++;
        chunkUsed += length;
        bytes += ENTRY_BYTES;
    }

    private byte[] room(int length) {
        if (chunk < 0 || chunks.get(chunk).length - chunkUsed < length) {
            chunk++;
            chunkUsed = 0;
            if (chunk == chunks.size()) {
                chunks.add(new byte[Math.max(chunkBytes, length)]);
            } else if (chunks.get(chunk).length < length) {
                chunks.set(chunk, new byte[length]);
            }
            bytes += chunks.get(chunk).length;
        }
        return chunks.get(chunk);
    }

    /** The entries in the order of their keys; of equal keys the one that was given first comes first. */
    int[] sorted() {
        int[] items = new int[count];
        Arrays.setAll(items, i -> i);
        return KeySort.sorted(items, this);
    }

    /** Forgets all entries. Arrays of the usual length are kept. */
    void clear() {
        chunks.removeIf(array -> array.length > chunkBytes);
        chunk = -1;
        bytes = 0;
        count = 0;
    }

    Slice key(int item) {
        return new Slice(chunks.get(entryChunks[item]), starts[item], keyBytes[item]);
    }

    Slice value(int item) {
        return new Slice(chunks.get(entryChunks[item]), starts[item] + keyBytes[item], valueBytes[item]);
    }

    @Override
    public long headFrom(int item, int from) {
        int start = starts[item];
        return KeyHead.of(
                chunks.get(entryChunks[item]), start + Math.min(from, keyBytes[item]), start + keyBytes[item]);
    }

    @Override
    public int keyLength(int item) {
        return keyBytes[item];
    }

    @Override
    public int compare(int left, int right) {
        int order = compareKeys(left, right);
        return order != 0 ? order : Integer.compare(left, right);
    }

    int compareKeys(int left, int right) {
        Slice one = key(left);
        Slice other = key(right);
        return Arrays.compareUnsigned(
                one.array(),
                one.offset(),
                one.offset() + one.length(),
                other.array(),
                other.offset(),
                other.offset() + other.length());
    }
}
