package io.kvstore.bplus.file;

/**
 * The place of a page in the file, and a check of its bytes, as one number: place (32 bits, in units of 4 KiB), length (8 bits,
 * in units), check (24 bits, the low ones of the page's checksum). 0 is nowhere. A reference to a page keeps the check. So a
 * page is noticed that is whole but is not the one that was written last.
 */
public final class Location {

    /** Places have 32 bits: a file has at most 16 TiB. */
    static final long MAX_PLACE = 0xFFFF_FFFFL;

    static final int MAX_UNITS = 255;

    static final int CHECK_MASK = 0xFF_FFFF;

    private Location() {}

    static long of(long place, int units, int checksum) {
        return place << 32 | (long) units << 24 | (checksum & CHECK_MASK);
    }

    static long place(long location) {
        return location >>> 32;
    }

    public static int units(long location) {
        return (int) (location >>> 24) & 0xFF;
    }

    /** Whether a page may lie there in a file of this many units, behind the superblocks. */
    static boolean isWithin(long location, long fileUnits) {
        long place = place(location);
        return place >= PageStore.SLOTS && units(location) > 0 && place + units(location) <= fileUnits;
    }

    static int check(long location) {
        return (int) location & CHECK_MASK;
    }
}
