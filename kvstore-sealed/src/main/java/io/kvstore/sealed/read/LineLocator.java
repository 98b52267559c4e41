package io.kvstore.sealed.read;

import io.kvstore.sealed.format.FileParts;
import io.kvstore.sealed.format.LocatorLine;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Looks for the words of a key in lines. Words are numbered from the first line's first one on. */
final class LineLocator implements Locator {

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final FileBytes bytes;
    private final Digests digests;
    private final long start;
    private final long lines;
    private final long homes;

    LineLocator(FileBytes bytes, Digests digests, FileParts parts, long entries) {
        this.bytes = bytes;
        this.digests = digests;
        this.start = parts.locator();
        this.lines = parts.lines();
        this.homes = LocatorLine.homes(entries);
    }

    @Override
    public long first(long hash) throws IOException {
        return find(hash, LocatorLine.home(hash, homes), 0);
    }

    @Override
    public long next(long hash, long last) throws IOException {
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

    @Override
    public long place(long found) throws IOException {
        return LocatorLine.place(word(found));
    }

    @Override
    public long used(Runnable step) throws IOException {
        long used = 0;
        for (long word = 0; word < lines * LocatorLine.WORDS; word++) {
            if ((word & STEP_MASK) == 0) {
                step.run();
            }
            used += word(word) == 0 ? 0 : 1;
        }
        return used;
    }

    /** The word of a number. */
    private long word(long number) throws IOException {
        long offset = start + number * Long.BYTES;
        digests.require(offset, Long.BYTES);
        try {
            return bytes.segment(offset, Long.BYTES).get(WORD, bytes.baseOf(offset));
        } catch (InternalError e) {
            throw bytes.unreadable(offset, e);
        }
    }
}
