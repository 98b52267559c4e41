package io.kvstore.cli.dump;

import io.kvstore.bytes.ByteReader;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.dump.DumpFormat.Kind;
import io.kvstore.engine.BlockCodecs;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads a dump from a stream. No entry comes of a block whose checksum does not hold. Memory is taken for one block, and for a
 * large value as its pieces come. For use by one thread.
 */
public final class DumpReader implements DumpSource {

    private static final byte[] NOTHING = {};
    private static final int NO_TABLE = -1;
    private static final int MOST_VALUE_BYTES = Integer.MAX_VALUE - 64;

    private final BlockReader blocks;
    private final Contents contents;

    /** A block that was read, and not looked at yet. */
    private @Nullable ByteReader pending;

    /** The entries of the present block that are left. */
    private ByteReader rest = new ByteReader("", NOTHING);

    private int table = NO_TABLE;
    private byte[] key = NOTHING;
    private byte[] value = NOTHING;
    private long entries;
    private boolean isEnded;
    private long mostValueBytes = MOST_VALUE_BYTES;

    /**
     * Reads the definitions.
     *
     * @param name of the stream, for messages
     * @throws io.kvstore.error.CorruptionException if this is no dump, or is damaged or cut off here
     * @throws io.kvstore.error.StorageException if a newer release has made the dump
     * @throws io.kvstore.error.InvalidRequestException if its codec is not on the class path
     */
    public DumpReader(InputStream in, String name) throws IOException {
        this(in, name, DumpFormat.MOST_DEFINITION_BYTES);
    }

    /** For tests, with another limit of the definitions. */
    DumpReader(InputStream in, String name, long mostDefinitionBytes) throws IOException {
        this.blocks = new BlockReader(in, name);
        ByteReader start = blocks.next();
        if (blocks.kind() != Kind.START) {
            throw blocks.corrupt("the dump has no start");
        }
        start.u64(); // when it was made, for people
        String codec = start.text();
        start.end();
        blocks.setCodec(BlockCodecs.named(codec));
        this.contents = readDefinitions(mostDefinitionBytes);
    }

    private Contents readDefinitions(long mostBytes) throws IOException {
        List<String> databases = new ArrayList<>();
        List<TableDefinition> tables = new ArrayList<>();
        Set<String> names = new HashSet<>();
        ByteReader block = blocks.next();
        long bytes = 0;
        for (; blocks.kind() == Kind.DEFINITIONS; block = blocks.next()) {
            bytes += block.remaining();
            if (bytes > mostBytes) {
                throw blocks.corrupt("the definitions have more than " + mostBytes + " bytes");
            }
            while (block.remaining() > 0) {
                if (block.u8() == 0) {
                    databases.add(block.text());
                } else {
                    TableDefinition definition = readTable(block);
                    if (!names.add(definition.name())) {
                        throw blocks.corrupt(definition.name() + " is defined twice");
                    }
                    tables.add(definition);
                }
                if (tables.size() > DumpFormat.MOST_TABLES || databases.size() > DumpFormat.MOST_TABLES) {
                    throw blocks.corrupt("there are more than " + DumpFormat.MOST_TABLES + " databases or tables");
                }
            }
        }
        pending = block;
        return new Contents(databases, tables);
    }

    private static TableDefinition readTable(ByteReader in) {
        String database = in.text();
        String name = in.text();
        String engine = in.text();
        boolean ordered = in.u8() != 0;
        SortedMap<String, String> options = new TreeMap<>();
        for (int left = in.count(); left > 0; left--) {
            String option = in.text();
            options.put(option, in.text());
        }
        return new TableDefinition(database, name, engine, ordered, options);
    }

    @Override
    public Contents contents() {
        return contents;
    }

    @Override
    public void setMostValueBytes(long bytes) {
        mostValueBytes = bytes;
    }

    @Override
    public boolean next() throws IOException {
        while (!isEnded) {
            if (rest.remaining() > 0) {
                key = rest.sized();
                value = rest.sized();
                entries++;
                return true;
            }
            ByteReader block = pending != null ? pending : blocks.next();
            pending = null;
            if (begin(block)) {
                return true;
            }
        }
        return false;
    }

    /** Begins a block. Returns whether an entry came of it at once. */
    private boolean begin(ByteReader block) throws IOException {
        return switch (blocks.kind()) {
            case ENTRIES -> {
                table = tableOf(block);
                rest = block;
                yield false;
            }
            case LARGE_ENTRY -> {
                table = tableOf(block);
                readLarge(block);
                entries++;
                yield true;
            }
            case END -> {
                end(block);
                yield false;
            }
            case START, DEFINITIONS, PIECE -> throw blocks.corrupt("a block stands where it should not");
        };
    }

    private int tableOf(ByteReader block) {
        long number = block.varint();
        if (number < Math.max(table, 0) || number >= contents.tables().size()) {
            throw blocks.corrupt("a block is of the table " + number + ", which does not come here");
        }
        return (int) number;
    }

    private void readLarge(ByteReader block) throws IOException {
        key = block.sized();
        long length = block.varint();
        block.end();
        if (length < 0 || length > MOST_VALUE_BYTES) {
            throw blocks.corrupt("a value has " + Long.toUnsignedString(length) + " bytes, which none can have");
        }
        if (length > mostValueBytes) {
            throw new CommandFailure(
                    ExitStatus.ERROR,
                    "a value of " + contents.tables().get(table).name() + " has " + length
                            + " bytes, and the store takes at most " + mostValueBytes
                            + "; dump the other tables, or load into a store that takes more");
        }
        value = readPieces((int) length);
    }

    /** Reads the pieces of a value. The array grows as they come: the head may promise more than there is. */
    private byte[] readPieces(int length) throws IOException {
        byte[] gathered = new byte[Math.min(length, DumpFormat.MOST_BLOCK_BYTES)];
        int size = 0;
        while (size < length) {
            ByteReader piece = blocks.next();
            int bytes = piece.remaining();
            if (blocks.kind() != Kind.PIECE || bytes == 0 || bytes > length - size) {
                throw blocks.corrupt("a large value is not as long as its head says");
            }
            if (size + bytes > gathered.length) {
                gathered = Arrays.copyOf(gathered, (int) Math.min(length, 2L * (size + bytes)));
            }
            System.arraycopy(piece.raw(bytes), 0, gathered, size, bytes);
            size += bytes;
        }
        return gathered;
    }

    private void end(ByteReader block) throws IOException {
        long before = block.varint();
        long tables = block.varint();
        long all = block.varint();
        block.end();
        if (before != blocks.before() || tables != contents.tables().size() || all != entries) {
            throw blocks.corrupt("the dump ends with " + all + " entries in " + tables + " tables, and " + entries
                    + " in " + contents.tables().size() + " have come");
        }
        blocks.end();
        isEnded = true;
    }

    @Override
    public int table() {
        return table;
    }

    @Override
    public byte[] key() {
        return key;
    }

    @Override
    public byte[] value() {
        return value;
    }

    /** The stream stays open: it is its opener's. */
    @Override
    public void close() {
        rest = new ByteReader("", NOTHING);
    }
}
