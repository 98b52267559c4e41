package io.kvstore.bplus;

import io.kvstore.bplus.file.PageFile;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.ByteReader;
import io.kvstore.io.ByteWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Values too long for a leaf, in pages of their own of up to 255 units. The leaf has a pointer: the value's length, then
 * the ids of the pages in order, all varints. A page of a value has 32 bytes of header, of which bytes 8 to 15 are its id,
 * then a part of the value. It is never changed.
 */
final class Blobs {

    static final int HEADER_BYTES = 32;

    private static final int ID = 8;
    private static final int MAX_ATTEMPTS = 100_000;
    private static final int MAX_UNITS = 255;
    private static final int MAX_PART_BYTES = MAX_UNITS * PageFile.UNIT_BYTES - HEADER_BYTES;

    private Blobs() {}

    /** Where a value is. */
    record Pointer(int length, List<Long> ids) {

        static Pointer read(String directory, byte[] bytes) {
            ByteReader in = new ByteReader(directory, bytes);
            long length = in.varint();
            List<Long> ids = new ArrayList<>();
            while (in.remaining() > 0) {
                ids.add(in.varint());
            }
            if (length < 0 || length > Integer.MAX_VALUE || ids.size() != parts((int) length)) {
                throw in.corrupt("a pointer to a value contradicts itself");
            }
            return new Pointer((int) length, ids);
        }
    }

    private static int parts(int length) {
        return (int) (((long) length + MAX_PART_BYTES - 1) / MAX_PART_BYTES);
    }

    /** Writes a value to new pages; returns the pointer to them. */
    static byte[] write(PageBuffer buffer, long generation, byte[] value) {
        ByteWriter pointer = new ByteWriter();
        pointer.varint(value.length);
        for (int from = 0; from < value.length; from += MAX_PART_BYTES) {
            int length = Math.min(MAX_PART_BYTES, value.length - from);
            int units = (HEADER_BYTES + length + PageFile.UNIT_BYTES - 1) / PageFile.UNIT_BYTES;
            Page page = buffer.create(units, generation);
            MemorySegment bytes = page.bytes();
            bytes.fill((byte) 0);
            bytes.set(ValueLayout.JAVA_LONG_UNALIGNED, ID, page.id());
            MemorySegment.copy(value, from, bytes, ValueLayout.JAVA_BYTE, HEADER_BYTES, length);
            pointer.varint(page.id());
        }
        return pointer.toArray();
    }

    /** Reads a value; null if a page changed or went meanwhile, so that the pointer has to be looked for again. */
    static byte @Nullable [] read(PageBuffer buffer, Pointer pointer) throws IOException {
        long room = 0;
        for (long id : pointer.ids()) {
            Page page = buffer.load(id);
            if (page == null) {
                return null;
            }
            room += page.bytes().byteSize() - HEADER_BYTES;
        }
        if (room < pointer.length()) {
            return null;
        }
        byte[] value = new byte[pointer.length()];
        int at = 0;
        for (long id : pointer.ids()) {
            Page page = buffer.load(id);
            long version = page == null ? Page.GONE : page.beginRead();
            if (page == null || version == Page.GONE) {
                return null;
            }
            int length = (int) Math.min(value.length - at, page.bytes().byteSize() - HEADER_BYTES);
            MemorySegment.copy(page.bytes(), ValueLayout.JAVA_BYTE, HEADER_BYTES, value, at, length);
            if (!page.isUnchanged(version)) {
                return null;
            }
            page.touch();
            at += length;
        }
        return at == value.length ? value : null;
    }

    /** Reads a value whose pages nobody takes away. */
    static byte[] readKept(PageBuffer buffer, Pointer pointer, String file) throws IOException {
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            byte[] value = read(buffer, pointer);
            if (value != null) {
                return value;
            }
            TreeReader.pause(attempt);
        }
        throw new CorruptionException(file, -1, "pages " + pointer.ids() + " of a value are not there");
    }
}
