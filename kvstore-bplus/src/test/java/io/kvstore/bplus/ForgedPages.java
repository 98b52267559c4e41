package io.kvstore.bplus;

import io.kvstore.bytes.Checksum;
import io.kvstore.testkit.Forgery;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * The parts of a page file to which its newest superblock leads. A reference to a page has a part of the page's checksum. So
 * the pages above a forged one get new checksums too, up to the superblock.
 */
final class ForgedPages {

    private static final int UNIT = 4_096;
    private static final int SLOTS = 3;
    private static final int CHUNK = 504;
    private static final int MOST_DIRECTORIES = 500;
    private static final int PAGE_HEAD = 64;
    private static final long MAP_ID = 1L << 41;
    private static final long DIRECTORY_ID = 1L << 42;
    private static final long VALUES_ID = 1L << 43;

    private static final int TAG = 16;
    private static final int SEQUENCE = 20;
    private static final int ROOT = 36;
    private static final int VALUES = 60;
    private static final int COUNT = 68;
    private static final int DIRECTORIES = 72;

    private static final int PAGE_LEVEL = 4;
    private static final int PAGE_ENTRIES = 24;
    private static final int PAGE_HEAP = 28;
    private static final int HEADS = 128;

    /** Of more leaves only some are forged. */
    private static final int MANY_LEAVES = 30;

    private final ByteBuffer pages;
    private final int tag;
    private final int slot;
    private final List<Forgery> parts = new ArrayList<>();
    private int leaves;

    /** The action that makes the checksum of a page right, and those of the pages above it. */
    private final Consumer<ByteBuffer> sealSlot;

    ForgedPages(byte[] bytes) {
        pages = Forgery.numbers(bytes);
        tag = pages.getInt(TAG);
        int newest = 0;
        for (int at = UNIT; at < SLOTS * UNIT; at += UNIT) {
            newest = pages.getLong(at + SEQUENCE) > pages.getLong(newest + SEQUENCE) ? at : newest;
        }
        slot = newest;
        sealSlot = this::sealSlot;
    }

    List<Forgery> parts() {
        int count = pages.getInt(slot + COUNT);
        parts.add(new Forgery("superblock state", slot + TAG, slot + ROOT, false, sealSlot));
        parts.add(new Forgery("superblock", slot + ROOT, slot + DIRECTORIES + Long.BYTES * count, true, sealSlot));
        if (pages.getLong(slot + VALUES) != 0) {
            int at = slot + VALUES;
            parts.add(new Forgery("list of values", from(at) + 4, from(at) + 128, true, seal(at, VALUES_ID, sealSlot)));
        }
        for (int i = 0; i < count; i++) {
            addDirectory(slot + DIRECTORIES + Long.BYTES * i, i);
        }
        return parts;
    }

    private void addDirectory(int at, int number) {
        if (pages.getLong(at) == 0) {
            return;
        }
        Consumer<ByteBuffer> seal = seal(at, DIRECTORY_ID | number, sealSlot);
        addLocations("directory", at, seal);
        for (int i = 0; i < CHUNK; i++) {
            int map = from(at) + PAGE_HEAD + Long.BYTES * i;
            if (pages.getLong(map) != 0) {
                addMap(map, (long) CHUNK * number + i, seal);
            }
        }
    }

    private void addMap(int at, long number, Consumer<ByteBuffer> above) {
        Consumer<ByteBuffer> seal = seal(at, MAP_ID | number, above);
        addLocations("map", at, seal);
        for (int i = 0; i < CHUNK; i++) {
            int page = from(at) + PAGE_HEAD + Long.BYTES * i;
            if (pages.getLong(page) != 0) {
                addPage(from(page), seal(page, CHUNK * number + i, seal));
            }
        }
    }

    /** The head of a page of locations, and those locations that are there, with a few that are not. */
    private void addLocations(String kind, int at, Consumer<ByteBuffer> seal) {
        int from = from(at);
        parts.add(new Forgery(kind, from + 4, from + PAGE_HEAD, true, seal));
        parts.add(new Forgery(kind + " places", from + PAGE_HEAD, from + UNIT, true, seal));
        parts.add(new Forgery(kind + " places", from + PAGE_HEAD, from + PAGE_HEAD + 10 * Long.BYTES, true, seal));
    }

    private void addPage(int from, Consumer<ByteBuffer> seal) {
        String kind = pages.get(from + PAGE_LEVEL) == 0 ? "leaf" : "branch";
        boolean isBranch = kind.equals("branch");
        if (!isBranch && ++leaves > MANY_LEAVES && leaves % MANY_LEAVES != 0) {
            return;
        }
        int heads = from + HEADS;
        int words = heads + Long.BYTES * pages.getInt(from + PAGE_ENTRIES);
        int end = words + words - heads;
        parts.add(new Forgery(kind + " head", from + 4, heads, true, seal));
        if (end > words) {
            parts.add(new Forgery(kind + " keys", heads, words, isBranch, seal));
            parts.add(new Forgery(kind + " words", words, end, isBranch, seal));
        }
        int heap = from + pages.getInt(from + PAGE_HEAP);
        if (heap < from + UNIT) {
            parts.add(new Forgery(kind + " heap", heap, from + UNIT, isBranch, seal));
        }
    }

    private int from(int locationAt) {
        return (int) (pages.getLong(locationAt) >>> Integer.SIZE) * UNIT;
    }

    private Consumer<ByteBuffer> seal(int locationAt, long id, Consumer<ByteBuffer> above) {
        int from = from(locationAt);
        int length = (pages.get(locationAt + 3) & 0xFF) * UNIT;
        return file -> {
            int checksum = Checksum.seeded(tag, id, file.slice(from + 4, length - 4));
            file.putInt(from, checksum);
            file.putInt(locationAt, (file.getInt(locationAt) & 0xFF00_0000) | (checksum & 0xFF_FFFF));
            above.accept(file);
        };
    }

    private void sealSlot(ByteBuffer file) {
        int count = file.getInt(slot + COUNT);
        if (count >= 0 && count <= MOST_DIRECTORIES) {
            int end = slot + DIRECTORIES + Long.BYTES * count;
            file.putInt(end, Checksum.of(file.slice(slot, end - slot)));
            Arrays.fill(file.array(), file.arrayOffset() + end + 4, file.arrayOffset() + slot + UNIT, (byte) 0);
        }
    }
}
