package io.kvstore.lsm.entry;

import io.kvstore.data.KeyHead;
import java.util.Arrays;

/** The key of a cursor. Its contents change when the cursor moves. */
public final class KeyBuffer {

    private byte[] bytes = new byte[32];
    private int length;
    private long head;

    public void set(byte[] source, int offset, int count) {
        replaceTail(0, source, offset, count);
    }

    public void set(KeyBuffer other) {
        set(other.bytes, 0, other.length);
    }

    /** Keeps the first {@code shared} bytes and appends a part of an array to them. */
    public void replaceTail(int shared, byte[] source, int offset, int count) {
        int wanted = shared + count;
        if (wanted > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(wanted, 2 * bytes.length));
        }
        System.arraycopy(source, offset, bytes, shared, count);
        length = wanted;
        head = KeyHead.of(bytes, 0, wanted);
    }

    /** Returns an array with room for {@code count} bytes. The caller fills it and then calls {@link #filled}. */
    public byte[] room(int count) {
        if (count > bytes.length) {
            bytes = new byte[Math.max(count, 2 * bytes.length)];
        }
        return bytes;
    }

    /** Makes the first {@code count} bytes of {@link #room} the key. */
    public void filled(int count) {
        length = count;
        head = KeyHead.of(bytes, 0, count);
    }

    /** The array that holds the key from index 0 on. It may be longer than the key. */
    public byte[] array() {
        return bytes;
    }

    public int length() {
        return length;
    }

    public long head() {
        return head;
    }

    public byte[] toArray() {
        return Arrays.copyOf(bytes, length);
    }

    public int compare(byte[] key) {
        return Arrays.compareUnsigned(bytes, 0, length, key, 0, key.length);
    }

    public int compare(KeyBuffer other) {
        if (head != other.head) {
            return Long.compareUnsigned(head, other.head);
        }
        return Arrays.compareUnsigned(bytes, 0, length, other.bytes, 0, other.length);
    }

    public boolean holds(KeyBuffer other) {
        return head == other.head && Arrays.equals(bytes, 0, length, other.bytes, 0, other.length);
    }

    public boolean holds(byte[] key) {
        return Arrays.equals(bytes, 0, length, key, 0, key.length);
    }
}
