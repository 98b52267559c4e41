package io.kvstore.lsm.entry;

import io.kvstore.data.KeyHead;
import java.util.Arrays;

/** A key that changes as a cursor moves. What it holds is valid until then. */
public final class KeyBuffer {

    private byte[] bytes = new byte[32];
    private int length;
    private long head;

    /** Takes over a part of an array. */
    public void set(byte[] source, int offset, int count) {
        replaceTail(0, source, offset, count);
    }

    /** Takes over another buffer's key. */
    public void set(KeyBuffer other) {
        set(other.bytes, 0, other.length);
    }

    /** Keeps the first {@code shared} bytes and puts a part of an array behind them. */
    public void replaceTail(int shared, byte[] source, int offset, int count) {
        int wanted = shared + count;
        if (wanted > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(wanted, 2 * bytes.length));
        }
        System.arraycopy(source, offset, bytes, shared, count);
        length = wanted;
        head = KeyHead.of(bytes, 0, wanted);
    }

    /** An array with room for {@code count} bytes, to be filled by the caller and then handed to {@link #filled}. */
    public byte[] room(int count) {
        if (count > bytes.length) {
            bytes = new byte[Math.max(count, 2 * bytes.length)];
        }
        return bytes;
    }

    /** The first {@code count} bytes of {@link #room} are now the key. */
    public void filled(int count) {
        length = count;
        head = KeyHead.of(bytes, 0, count);
    }

    /** Holds the key from index 0 on; longer than the key. */
    public byte[] array() {
        return bytes;
    }

    /** The length of the key. */
    public int length() {
        return length;
    }

    /** The key's {@link KeyHead}. */
    public long head() {
        return head;
    }

    /** The key, copied. */
    public byte[] toArray() {
        return Arrays.copyOf(bytes, length);
    }

    /** Compares as unsigned bytes. */
    public int compare(byte[] key) {
        return Arrays.compareUnsigned(bytes, 0, length, key, 0, key.length);
    }

    /** Compares as unsigned bytes. */
    public int compare(KeyBuffer other) {
        if (head != other.head) {
            return Long.compareUnsigned(head, other.head);
        }
        return Arrays.compareUnsigned(bytes, 0, length, other.bytes, 0, other.length);
    }

    /** Whether the keys are the same. */
    public boolean holds(KeyBuffer other) {
        return head == other.head && Arrays.equals(bytes, 0, length, other.bytes, 0, other.length);
    }

    /** Whether the keys are the same. */
    public boolean holds(byte[] key) {
        return Arrays.equals(bytes, 0, length, key, 0, key.length);
    }
}
