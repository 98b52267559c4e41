package io.kvstore.server.http.message;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Bytes that arrive part by part. A part can be a single byte, because a client chooses its chunks, and an object for each part
 * would take thirty times its bytes. So a new array has room for more than the part that it is made for: a quarter of the bytes
 * that are there, up to {@link Limits#STREAM_CHUNK_BYTES}. Used by one thread at a time.
 */
final class Pieces {

    private static final int SHARE_AHEAD = 4;

    private final List<byte[]> arrays = new ArrayList<>();

    /** The bytes of the last array that are in use. All others are full. */
    private int lastUsed;

    private int size;

    int size() {
        return size;
    }

    /** The memory that {@link #add} of that number of bytes takes, beside that of the arrays that are there. */
    int growth(int bytes) {
        int beyond = bytes - room();
        return beyond <= 0 ? 0 : Math.max(beyond, Math.min(size / SHARE_AHEAD, Limits.STREAM_CHUNK_BYTES));
    }

    private int room() {
        return arrays.isEmpty() ? 0 : arrays.getLast().length - lastUsed;
    }

    /** Adds the remaining bytes. */
    void add(ByteBuffer part) {
        int growth = growth(part.remaining());
        size += part.remaining();
        int fitting = Math.min(room(), part.remaining());
        if (fitting > 0) {
            part.get(arrays.getLast(), lastUsed, fitting);
            lastUsed += fitting;
        }
        if (growth > 0) {
            lastUsed = part.remaining();
            byte[] next = new byte[growth];
            part.get(next, 0, lastUsed);
            arrays.add(next);
        }
    }

    /** Whether all bytes are in one array that has no others. */
    boolean isOneArray() {
        return arrays.size() == 1 && room() == 0;
    }

    /** All bytes in one array. It is that of this object if {@link #isOneArray}. */
    byte[] toByteArray() {
        if (isOneArray()) {
            return arrays.getFirst();
        }
        byte[] whole = new byte[size];
        int at = 0;
        for (int i = 0; i < arrays.size(); i++) {
            System.arraycopy(arrays.get(i), 0, whole, at, used(i));
            at += used(i);
        }
        return whole;
    }

    private int used(int index) {
        return index == arrays.size() - 1 ? lastUsed : arrays.get(index).length;
    }

    /** Whether there are only blanks. A byte order mark counts as blank. */
    boolean isBlank() {
        int mark = 0;
        for (int i = 0; i < arrays.size(); i++) {
            for (int at = 0; at < used(i); at++) {
                byte b = arrays.get(i)[at];
                boolean isOfMark = mark < Json.MARK.length && b == Json.MARK[mark];
                if (!isOfMark && b != ' ' && b != '\t' && b != '\r') {
                    return false;
                }
                mark += isOfMark ? 1 : 0;
            }
        }
        return true;
    }

    /** All bytes, to be read once. */
    InputStream stream() {
        List<InputStream> streams = new ArrayList<>(arrays.size());
        for (int i = 0; i < arrays.size(); i++) {
            streams.add(new ByteArrayInputStream(arrays.get(i), 0, used(i)));
        }
        return new SequenceInputStream(Collections.enumeration(streams));
    }

    void clear() {
        arrays.clear();
        lastUsed = 0;
        size = 0;
    }
}
