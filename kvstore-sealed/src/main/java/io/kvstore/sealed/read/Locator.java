package io.kvstore.sealed.read;

import io.kvstore.sealed.format.FileParts;
import io.kvstore.sealed.format.LocatorLine;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Looks for the words of a key in the locator. Words are numbered from the first line's first one on. */
final class Locator {

    /** No word. */
    static final long NONE = -1;

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final FileBytes bytes;
    private final Digests digests;
    private final long start;
    private final long lines;
    private final long homes;

    Locator(FileBytes bytes, Digests digests, FileParts parts, long entries) {
        this.bytes = bytes;
        this.digests = digests;
        this.start = parts.locator();
        this.lines = parts.lines();
        this.homes = LocatorLine.homes(entries);
    }

    long lines() {
        return lines;
    }

    /** The number of the first word that may be that of a key, or {@link #NONE}. */
    long first(long hash) throws IOException {
        return find(hash, LocatorLine.home(hash, homes), 0);
    }

    /** The number of the next word behind {@code last} that may be that of the same key, or {@link #NONE}. */
    long next(long hash, long last) throws IOException {
        return find(hash, last / LocatorLine.WORDS, (int) (last % LocatorLine.WORDS) + 1);
    }

    private long find(long hash, long firstLine, int firstSlot) throws IOException {
        int slot = firstSlot;
        for (long line = firstLine; line < lines; line++) {
            long offset = start + line * LocatorLine.BYTES;
            digests.require(offset, LocatorLine.BYTES);
            MemorySegment segment = bytes.segment(offset, LocatorLine.BYTES);
            long base = bytes.baseOf(offset);
            try {
                for (; slot < LocatorLine.WORDS; slot++) {
                    long word = segment.get(WORD, base + (long) slot * Long.BYTES);
                    if (word == 0) {
                        return NONE; // a line with room has not spilled
                    }
                    if (LocatorLine.isTagged(word, hash)) {
                        return line * LocatorLine.WORDS + slot;
                    }
                }
                if (!LocatorLine.hasSpilled(segment.get(WORD, base))) {
                    return NONE;
                }
            } catch (InternalError e) {
                throw bytes.unreadable(offset, e);
            }
            slot = 0;
        }
        return NONE;
    }

    /** The word of a number. */
    long word(long number) throws IOException {
        long offset = start + number * Long.BYTES;
        digests.require(offset, Long.BYTES);
        try {
            return bytes.segment(offset, Long.BYTES).get(WORD, bytes.baseOf(offset));
        } catch (InternalError e) {
            throw bytes.unreadable(offset, e);
        }
    }
}
