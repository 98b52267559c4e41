package io.kvstore.cli.dump;

import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.Slice;
import io.kvstore.cli.dump.DumpFormat.Kind;
import io.kvstore.engine.BlockCodecs;
import java.io.IOException;
import java.io.OutputStream;

/** Writes a dump as a stream of blocks. Takes a few MiB of memory. For use by one thread. */
public final class DumpWriter implements DumpTarget {

    private static final int NO_TABLE = -1;
    private static final int MOST_LENGTH_BYTES = 10;

    private final BlockWriter blocks;
    private final ByteWriter block = new ByteWriter(DumpFormat.USUAL_BLOCK_BYTES);
    private final int tables;
    private int table = NO_TABLE;
    private long entries;

    /**
     * Begins a dump.
     *
     * @param codec the name of the codec of blocks in capitals
     * @param millis when the dump is made, since 1970, for people
     * @throws io.kvstore.error.InvalidRequestException if the codec is not on the class path
     */
    public DumpWriter(OutputStream out, String codec, long millis, Contents contents) throws IOException {
        this.blocks = new BlockWriter(out, BlockCodecs.named(codec));
        this.tables = contents.tables().size();
        blocks.write(Kind.START, new ByteWriter().u64(millis).text(codec));
        writeDefinitions(contents);
    }

    /** The most tables, and the most databases, of a dump. */
    public static int mostTables() {
        return DumpFormat.MOST_TABLES;
    }

    private void writeDefinitions(Contents contents) throws IOException {
        for (String database : contents.databases()) {
            define(new ByteWriter().u8(0).text(database));
        }
        for (TableDefinition definition : contents.tables()) {
            ByteWriter text = new ByteWriter()
                    .u8(1)
                    .text(definition.database())
                    .text(definition.table())
                    .text(definition.engine())
                    .u8(definition.ordered() ? 1 : 0)
                    .varint(definition.options().size());
            definition.options().forEach((name, value) -> text.text(name).text(value));
            define(text);
        }
        flush(Kind.DEFINITIONS);
    }

    private void define(ByteWriter text) throws IOException {
        if (block.size() + text.size() > DumpFormat.USUAL_BLOCK_BYTES) {
            flush(Kind.DEFINITIONS);
        }
        block.raw(text.toArray());
    }

    @Override
    public void beginTable(int number) throws IOException {
        if (number != table + 1 || number >= tables) {
            throw new IllegalArgumentException("the table " + number + " does not follow " + table);
        }
        flush(Kind.ENTRIES);
        table = number;
    }

    @Override
    public void entry(byte[] key, byte[] value) throws IOException {
        entries++;
        long bytes = 3L * MOST_LENGTH_BYTES + key.length + value.length;
        if (block.size() + bytes > DumpFormat.USUAL_BLOCK_BYTES) {
            flush(Kind.ENTRIES);
        }
        if (bytes > DumpFormat.USUAL_BLOCK_BYTES) {
            writeLarge(key, value);
            return;
        }
        if (block.size() == 0) {
            block.varint(table);
        }
        block.sized(key).sized(value);
    }

    private void writeLarge(byte[] key, byte[] value) throws IOException {
        blocks.write(Kind.LARGE_ENTRY, new ByteWriter().varint(table).sized(key).varint(value.length));
        for (int at = 0; at < value.length; at += DumpFormat.MOST_BLOCK_BYTES) {
            int length = Math.min(DumpFormat.MOST_BLOCK_BYTES, value.length - at);
            blocks.write(Kind.PIECE, new Slice(value, at, length));
        }
    }

    private void flush(Kind kind) throws IOException {
        if (block.size() > 0) {
            blocks.write(kind, block);
            block.cut(0);
        }
    }

    @Override
    public void end() throws IOException {
        flush(Kind.ENTRIES);
        blocks.write(
                Kind.END,
                new ByteWriter().varint(blocks.blocks()).varint(tables).varint(entries));
        blocks.flush();
    }
}
