package io.kvstore.bench.store;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * No store, but the work of a put and a get that hardly any store with values in a file can leave out. A put makes a checksum,
 * copies the record to memory that is written later, and finds its place by the key. A get goes the same way back. There is no
 * order and no recovery, and space is not given back. It is a reference that shows how near the others come. Readers take no
 * lock. The tail and the counts belong to the writers, under one lock.
 *
 * <pre>
 *   record   crc32c 4 | bytes of the key 4 | bytes of the value 4 | key | value
 *   slot     20 bits of the hash | number of the chunk 28 | offset in the chunk + 1 16
 * </pre>
 */
final class LimitContender implements Contender {

    private static final int SLOTS = 1 << 24;
    private static final int MOST_ENTRIES = SLOTS / 4 * 3;
    private static final int CHUNK_BYTES = 1 << 16;
    private static final int CHUNK_BITS = 28;
    private static final int MOST_CHUNKS = 1 << 20;
    static final int SEGMENT_CHUNKS = 1 << 10;
    private static final int HEADER_BYTES = 3 * Integer.BYTES;
    private static final long EMPTY = 0;

    private final AtomicLongArray slots = new AtomicLongArray(SLOTS);
    private final AtomicReferenceArray<byte @Nullable []> chunks = new AtomicReferenceArray<>(MOST_CHUNKS);
    private final AtomicReferenceArray<@Nullable MemorySegment> segments;
    private final int segmentChunks;
    private final ReentrantLock lock = new ReentrantLock();
    private final Arena arena = Arena.ofShared();
    private final FileChannel file;
    private final BehindWriter writer;
    private byte[] tail = new byte[CHUNK_BYTES];
    private int tailUsed;
    private int tailNumber;
    private int entries;

    /** @param segmentChunks the number of chunks that are mapped together */
    LimitContender(StoreSetup setup, int segmentChunks) throws IOException {
        this.segmentChunks = segmentChunks;
        this.segments = new AtomicReferenceArray<>(MOST_CHUNKS / segmentChunks);
        this.file = FileChannel.open(
                setup.directory().resolve("records"),
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        this.writer = new BehindWriter(file, this::written);
        chunks.set(0, tail);
        writer.start();
    }

    /** Maps segments that are written as a whole. They are read through the mapping from now on. */
    private void written(int chunkCount) throws IOException {
        for (int at = chunkCount / segmentChunks - 1; at >= 0 && segments.get(at) == null; at--) {
            long bytes = (long) segmentChunks * CHUNK_BYTES;
            segments.set(at, file.map(FileChannel.MapMode.READ_ONLY, at * bytes, bytes, arena));
            for (int chunk = at * segmentChunks; chunk < (at + 1) * segmentChunks; chunk++) {
                chunks.setRelease(chunk, null);
            }
        }
    }

    @Override
    public Session session() {
        return new LimitSession();
    }

    @Override
    public void flush() throws IOException {
        writer.await();
    }

    @Override
    public void close() throws IOException {
        writer.close();
        arena.close();
        file.close();
    }

    private static long hash(byte[] key) {
        long hash = 0;
        for (byte one : key) {
            hash = (hash ^ one) * 0x9E3779B97F4A7C15L;
        }
        return hash ^ (hash >>> 29);
    }

    private static int crc(ByteBuffer record) {
        CRC32C crc = new CRC32C();
        crc.update(record);
        return (int) crc.getValue();
    }

    /** The record at a place if it has the key, else null. */
    private @Nullable ByteBuffer record(long slot, byte[] key) {
        int offset = (int) (slot & (CHUNK_BYTES - 1)) - 1;
        int chunk = (int) (slot >>> Short.SIZE) & ((1 << CHUNK_BITS) - 1);
        byte[] array = chunks.getAcquire(chunk);
        MemorySegment memory =
                array == null ? segments.getAcquire(chunk / segmentChunks) : MemorySegment.ofArray(array);
        if (memory == null) {
            throw new IllegalStateException("chunk " + chunk + " is nowhere");
        }
        long at = offset + (array == null ? (long) (chunk % segmentChunks) * CHUNK_BYTES : 0);
        int keyBytes = memory.get(ValueLayout.JAVA_INT_UNALIGNED, at + Integer.BYTES);
        int valueBytes = memory.get(ValueLayout.JAVA_INT_UNALIGNED, at + 2 * Integer.BYTES);
        ByteBuffer record =
                memory.asSlice(at, HEADER_BYTES + (long) keyBytes + valueBytes).asByteBuffer();
        boolean isIt = record.slice(HEADER_BYTES, keyBytes).equals(ByteBuffer.wrap(key));
        return isIt ? record : null;
    }

    /** The record of a key, or null. */
    private @Nullable ByteBuffer find(byte[] key) {
        long hash = hash(key);
        for (int at = (int) hash & (SLOTS - 1); ; at = (at + 1) & (SLOTS - 1)) {
            long slot = slots.getAcquire(at);
            ByteBuffer found = isOf(slot, hash) ? record(slot, key) : null;
            if (slot == EMPTY || found != null) {
                return found;
            }
        }
    }

    private static boolean isOf(long slot, long hash) {
        return slot >>> (Short.SIZE + CHUNK_BITS) == hash >>> (Short.SIZE + CHUNK_BITS) && slot != EMPTY;
    }

    /** The index of the slot of a key, or of the empty slot that it may take. */
    private int place(byte[] key, long hash) {
        for (int at = (int) hash & (SLOTS - 1); ; at = (at + 1) & (SLOTS - 1)) {
            long slot = slots.getAcquire(at);
            if (slot == EMPTY || (isOf(slot, hash) && record(slot, key) != null)) {
                return at;
            }
        }
    }

    /** The session of a thread. All that it has for itself is the record that it puts together. */
    private final class LimitSession implements Session {

        private byte[] record = {};

        @Override
        public void put(byte[] key, byte[] value) throws IOException {
            int bytes = HEADER_BYTES + key.length + value.length;
            if (record.length != bytes) {
                record = new byte[bytes];
            }
            MemorySegment header = MemorySegment.ofArray(record);
            header.set(ValueLayout.JAVA_INT_UNALIGNED, Integer.BYTES, key.length);
            header.set(ValueLayout.JAVA_INT_UNALIGNED, 2 * Integer.BYTES, value.length);
            System.arraycopy(key, 0, record, HEADER_BYTES, key.length);
            System.arraycopy(value, 0, record, HEADER_BYTES + key.length, value.length);
            int crc = crc(ByteBuffer.wrap(record, Integer.BYTES, bytes - Integer.BYTES));
            header.set(ValueLayout.JAVA_INT_UNALIGNED, 0, crc);
            long hash = hash(key);
            writer.admit();
            lock.lock();
            try {
                add(key, hash, bytes);
            } finally {
                lock.unlock();
            }
        }

        private void add(byte[] key, long hash, int bytes) {
            if (tailUsed + bytes >= CHUNK_BYTES) {
                writer.add(tail);
                tail = new byte[CHUNK_BYTES];
                tailUsed = 0;
                tailNumber++;
                chunks.setRelease(tailNumber, tail);
            }
            System.arraycopy(record, 0, tail, tailUsed, bytes);
            int at = place(key, hash);
            if (slots.getPlain(at) == EMPTY && ++entries > MOST_ENTRIES) {
                throw new IllegalStateException(
                        "LIMIT takes at most " + MOST_ENTRIES + " entries; give --entries less");
            }
            long place = (long) tailNumber << Short.SIZE | (tailUsed + 1);
            slots.setRelease(at, (hash >>> (Short.SIZE + CHUNK_BITS)) << (Short.SIZE + CHUNK_BITS) | place);
            tailUsed += bytes;
        }

        @Override
        public byte @Nullable [] get(byte[] key) {
            ByteBuffer found = find(key);
            if (found == null) {
                return null;
            }
            byte[] all = new byte[found.remaining()];
            found.get(all);
            ByteBuffer copy = ByteBuffer.wrap(all).order(ByteOrder.nativeOrder());
            if (copy.getInt(0) != crc(ByteBuffer.wrap(all, Integer.BYTES, all.length - Integer.BYTES))) {
                throw new IllegalStateException("a record is damaged");
            }
            return Arrays.copyOfRange(all, HEADER_BYTES + key.length, all.length);
        }

        @Override
        public void remove(byte[] key) {
            throw new UnsupportedOperationException("LIMIT removes nothing");
        }

        @Override
        public void scan(byte[] from, int limit, Visitor visitor) {
            throw new UnsupportedOperationException("LIMIT has no order");
        }

        @Override
        public void close() {
            // All sessions share the file.
        }
    }
}
