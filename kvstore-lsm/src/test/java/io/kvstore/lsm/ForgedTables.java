package io.kvstore.lsm;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.Checksum;
import io.kvstore.bytes.FileHeader;
import io.kvstore.testkit.Forgery;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** The parts of an SSTable. */
final class ForgedTables {

    private static final int TABLE = 16;
    private static final int NUMBER = 20;
    private static final int HEADER_CHECKSUM = 28;
    private static final int HEADER_BYTES = 32;
    private static final int FOOTER_BYTES = 40;
    private static final int FOOTER_FIELDS = 32;
    private static final int FRAME_BYTES = 12;
    private static final int CODEC = 9;
    private static final int FILE_RECORD = 4;
    private static final String[] KINDS = {"filter", "index", "properties"};

    private final ByteBuffer table;
    private final long seed;
    private final int footer;
    private final List<Forgery> parts = new ArrayList<>();

    /** Where a block begins, and where it ends. */
    private record Block(int from, int to) {}

    ForgedTables(byte[] bytes) {
        table = Forgery.numbers(bytes);
        seed = (long) table.getInt(TABLE) << Integer.SIZE ^ table.getLong(NUMBER);
        footer = bytes.length - FOOTER_BYTES;
    }

    List<Forgery> parts() {
        parts.add(new Forgery("table head", TABLE, HEADER_CHECKSUM, true, file -> {
            file.putInt(HEADER_CHECKSUM, Checksum.of(file.slice(TABLE, HEADER_CHECKSUM - TABLE)));
        }));
        parts.add(new Forgery("table footer", footer, footer + FOOTER_FIELDS, true, file -> {
            long length = file.getLong(footer + FOOTER_FIELDS - Long.BYTES);
            file.putInt(footer + FOOTER_FIELDS, Checksum.seeded(seed, length, file.slice(footer, FOOTER_FIELDS)));
        }));
        int filter = (int) table.getLong(footer);
        for (int at = HEADER_BYTES; at < filter; at += FRAME_BYTES + table.getInt(at + 4)) {
            addData(at, at + FRAME_BYTES + table.getInt(at + 4));
        }
        for (int i = 0; i < KINDS.length; i++) {
            int from = (int) table.getLong(footer + Long.BYTES * i);
            int to = i + 1 < KINDS.length ? (int) table.getLong(footer + Long.BYTES * (i + 1)) : footer;
            Block block = new Block(from, to);
            add(KINDS[i] + " frame", from + 4, from + FRAME_BYTES, true, block);
            add(KINDS[i], from + FRAME_BYTES, to, true, block);
            add(KINDS[i], from + FRAME_BYTES, Math.min(to, from + FRAME_BYTES + 16), true, block);
        }
        return parts;
    }

    private void addData(int from, int to) {
        Block block = new Block(from, to);
        add("block frame", from + 4, from + FRAME_BYTES, true, block);
        if (table.get(from + CODEC) != 0) {
            add("packed length", from + FRAME_BYTES, from + FRAME_BYTES + 4, true, block);
            add("packed block", from + FRAME_BYTES, to, false, block);
            return;
        }
        int restarts = to - Integer.BYTES - Integer.BYTES * table.getInt(to - Integer.BYTES);
        add("entry", from + FRAME_BYTES, Math.min(restarts, from + FRAME_BYTES + 8), false, block);
        add("entries", from + FRAME_BYTES, restarts, false, block);
        add("restarts", restarts, to, true, block);
    }

    private void add(String kind, int from, int to, boolean isTold, Block block) {
        int at = block.from;
        parts.add(new Forgery("table " + kind, from, to, isTold, file -> {
            file.putInt(at, Checksum.seeded(seed, at, file.slice(at + 4, block.to - at - 4)));
        }));
    }

    /** Gives a manifest the checksum of all bytes of an SSTable. */
    static void settle(String path, SimStorage disk) throws IOException {
        String manifest = path.substring(0, path.lastIndexOf('/')) + "/MANIFEST";
        byte[] bytes = disk.bytes(manifest);
        long number = Forgery.numbers(disk.bytes(path)).getLong(NUMBER);
        ByteReader in = new ByteReader(manifest, bytes);
        in.skip(FileHeader.BYTES + 2 * Integer.BYTES);
        while (in.remaining() > Integer.BYTES) {
            int kind = in.u8();
            int end = in.count() + in.position();
            if (kind == FILE_RECORD && in.u8() >= 0 && in.varint() == number && in.varint() > 0) {
                Forgery.numbers(bytes).putInt(in.position(), Checksum.of(disk.bytes(path)));
            }
            in.skip(end - in.position());
        }
        seal(Forgery.numbers(bytes));
        disk.replace(manifest, bytes);
    }

    /** Gives a manifest its own checksum. */
    static void seal(ByteBuffer manifest) {
        int end = manifest.capacity() - Integer.BYTES;
        manifest.putInt(end, Checksum.of(manifest.slice(0, end)));
    }
}
