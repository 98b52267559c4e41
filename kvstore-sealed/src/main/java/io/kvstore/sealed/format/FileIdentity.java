package io.kvstore.sealed.format;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import io.kvstore.data.KeyHash;
import io.kvstore.engine.TableFileSettings.Layout;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * What tells a sealed file from all others, and how it is laid out.
 *
 * @param high upper half of the file's id
 * @param low lower half of the file's id
 * @param hashSeed seed of the hashes of keys in the locator
 * @param layout how the entries lie in the file
 * @param codec id of the codec of blocks; 0 for records that are not in blocks
 */
public record FileIdentity(long high, long low, long hashSeed, Layout layout, int codec) {

    /** An identity that no other file has. */
    public static FileIdentity random(Layout layout, int codec) {
        SecureRandom random = new SecureRandom();
        return new FileIdentity(random.nextLong(), random.nextLong(), random.nextLong(), layout, codec);
    }

    void write(ByteWriter out) {
        out.u64(high).u64(low).u64(hashSeed).u8(idOf(layout)).u8(codec);
    }

    private static int idOf(Layout layout) {
        return switch (layout) {
            case LINES -> 1;
            case PERFECT -> 2;
            case POINT -> 3;
        };
    }

    private static Layout layout(ByteReader in) {
        int id = in.u8();
        for (Layout layout : Layout.values()) {
            if (id == idOf(layout)) {
                return layout;
            }
        }
        throw in.corrupt("the layout is not one that this release knows");
    }

    static FileIdentity read(ByteReader in) {
        long high = in.u64();
        long low = in.u64();
        long seed = in.u64();
        return new FileIdentity(high, low, seed, layout(in), in.u8());
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
        return "FileIdentity[" + text() + ", " + layout + ", codec " + codec + "]";
    }
}
