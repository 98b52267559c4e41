package io.kvstore.sealed.format;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import io.kvstore.data.KeyHash;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * What tells a sealed file from all others, and how it is laid out.
 *
 * @param high upper half of the file's id
 * @param low lower half of the file's id
 * @param hashSeed seed of the hashes of keys in the locator
 * @param codec id of the codec of blocks; 0 for records that are not in blocks
 */
public record FileIdentity(long high, long low, long hashSeed, int codec) {

    /** Records in the order of keys, and a locator of lines. */
    private static final int LAYOUT = 1;

    /** @param codec as in the record */
    public static FileIdentity random(int codec) {
        SecureRandom random = new SecureRandom();
        return new FileIdentity(random.nextLong(), random.nextLong(), random.nextLong(), codec);
    }

    void write(ByteWriter out) {
        out.u64(high).u64(low).u64(hashSeed).u8(LAYOUT).u8(codec);
    }

    static FileIdentity read(ByteReader in) {
        long high = in.u64();
        long low = in.u64();
        long seed = in.u64();
        if (in.u8() != LAYOUT) {
            throw in.corrupt("the layout is not one that this release knows");
        }
        return new FileIdentity(high, low, seed, in.u8());
    }

    /** Seeds the checksums of the file. */
    public long seed() {
        return high ^ Long.rotateLeft(low, 32);
    }

    public KeyHash keyHash() {
        return new KeyHash(hashSeed);
    }

    /** The id as 32 hexadecimal digits. */
    public String text() {
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits(high) + hex.toHexDigits(low);
    }

    /** Leaves out the seed of hashes, so that it does not get into a message. */
    @Override
    public String toString() {
        return "FileIdentity[" + text() + ", codec " + codec + "]";
    }
}
