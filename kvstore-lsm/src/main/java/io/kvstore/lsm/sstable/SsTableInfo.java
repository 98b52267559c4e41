package io.kvstore.lsm.sstable;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import io.kvstore.data.KeyOrder;
import java.util.Arrays;

/**
 * The properties of an SSTable. The file has all of them but size and checksum. The manifest has all of them but the keys.
 *
 * @param number names the file; never reused in its table
 * @param bytes length of the file
 * @param checksum CRC32C of the whole file
 * @param entries number of entries, tombstones included
 * @param tombstones number of tombstones
 * @param minLsn lsn of the oldest entry
 * @param maxLsn lsn of the newest entry
 * @param minKey the first key
 * @param maxKey the last key
 */
public record SsTableInfo(
        long number,
        long bytes,
        int checksum,
        long entries,
        long tombstones,
        long minLsn,
        long maxLsn,
        byte[] minKey,
        byte[] maxKey) {

    /** Writes the bytes that {@link #readProperties} reads: all properties but number, size and checksum. */
    void writeProperties(ByteWriter out) {
        out.varint(entries).varint(tombstones).varint(minLsn).varint(maxLsn);
        out.sized(minKey).sized(maxKey);
    }

    /** Reads what a manifest of version 1 says of an SSTable, and checks that it is consistent. */
    public static SsTableInfo read(ByteReader in) {
        return readProperties(in, in.varint(), in.varint(), in.u32());
    }

    static SsTableInfo readProperties(ByteReader in, long number, long bytes, int checksum) {
        SsTableInfo info = new SsTableInfo(
                number, bytes, checksum, in.varint(), in.varint(), in.varint(), in.varint(), in.sized(), in.sized());
        boolean makesSense = info.number > 0
                && info.bytes > 0
                && info.entries > 0
                && info.tombstones >= 0
                && info.tombstones <= info.entries
                && info.minLsn >= 0
                && info.minLsn <= info.maxLsn
                && KeyOrder.compare(info.minKey, info.maxKey) <= 0;
        if (!makesSense) {
            throw in.corrupt("the description of SSTable " + info.number + " contradicts itself");
        }
        return info;
    }

    /** Whether the key lies between the first and the last key of the file. */
    public boolean covers(byte[] key) {
        return KeyOrder.compare(minKey, key) <= 0 && KeyOrder.compare(key, maxKey) <= 0;
    }

    /** Whether the key ranges of the two files overlap. */
    public boolean overlaps(SsTableInfo other) {
        return KeyOrder.compare(minKey, other.maxKey) <= 0 && KeyOrder.compare(other.minKey, maxKey) <= 0;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SsTableInfo that
                && number == that.number
                && bytes == that.bytes
                && checksum == that.checksum
                && entries == that.entries
                && tombstones == that.tombstones
                && minLsn == that.minLsn
                && maxLsn == that.maxLsn
                && Arrays.equals(minKey, that.minKey)
                && Arrays.equals(maxKey, that.maxKey);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(number);
    }

    @Override
    public String toString() {
        return "SSTable " + number + " [" + KeyOrder.display(minKey) + ".." + KeyOrder.display(maxKey) + "], " + bytes
                + " bytes";
    }
}
