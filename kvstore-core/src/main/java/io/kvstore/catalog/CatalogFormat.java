package io.kvstore.catalog;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.FileHeader;
import io.kvstore.data.TableProperties;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The bytes of the catalog file. {@code docs/file-formats.md} has a drawing. */
final class CatalogFormat {

    static final FileHeader HEADER = new FileHeader("KVCATALG", "catalog", 3);

    /** The first version with the lsn up to which all tables hold everything, and with the lsns of kept records. */
    private static final int WITH_KEPT = 2;

    /** The first version that counts its changes. */
    private static final int WITH_REVISION = 3;

    /** The largest catalog that is read, in bytes: it has room for far more than 100,000 tables. */
    static final int MAX_BYTES = 256 << 20;

    private CatalogFormat() {}

    static ByteBuffer encode(CatalogState state) {
        ByteWriter out = new ByteWriter(1 << 12);
        HEADER.write(out, 0);
        out.u64(state.storeIdHigh()).u64(state.storeIdLow()).u64(state.revision());
        out.u32(state.nextTableId()).u64(state.firstLogSegment()).u64(state.newestLogSegment());
        out.u64(state.completeLsn());
        out.varint(state.databases().size());
        state.databases().forEach(out::text);
        out.varint(state.tables().size());
        state.tables().values().forEach(table -> encode(out, table));
        out.checksumFrom(0);
        return out.toBuffer();
    }

    static void encode(ByteWriter out, TableInfo table) {
        out.u32(table.id()).text(table.database()).text(table.name()).text(table.engine());
        out.u64(table.checkpointLsn()).u64(table.keptLsn());
        out.varint(table.properties().asMap().size());
        for (Map.Entry<String, String> property : table.properties().asMap().entrySet()) {
            out.text(property.getKey()).text(property.getValue());
        }
    }

    static CatalogState decode(String file, byte[] bytes) {
        ByteReader in = new ByteReader(file, bytes);
        if (bytes.length < FileHeader.BYTES + Integer.BYTES) {
            throw in.corrupt("the catalog has only " + bytes.length + " bytes");
        }
        int version = HEADER.read(in, file).version();
        in.skip(in.remaining() - Integer.BYTES);
        in.checksumFrom(0);
        return decodeBody(new ByteReader(file, 0, bytes, 0, bytes.length - Integer.BYTES), version);
    }

    private static CatalogState decodeBody(ByteReader in, int version) {
        in.skip(FileHeader.BYTES);
        long high = in.u64();
        long low = in.u64();
        long revision = version < WITH_REVISION ? 0 : in.u64();
        int nextTableId = in.u32();
        long firstLogSegment = in.u64();
        long newestLogSegment = in.u64();
        long completeLsn = version < WITH_KEPT ? 0 : in.u64();
        SortedSet<String> databases = new TreeSet<>();
        for (int count = in.count(); count > 0; count--) {
            databases.add(in.text());
        }
        SortedMap<Integer, TableInfo> tables = new TreeMap<>();
        for (int count = in.count(); count > 0; count--) {
            TableInfo table = decodeTable(in, version);
            if (tables.put(table.id(), table) != null) {
                throw in.corrupt("the catalog has two tables with id " + table.id());
            }
        }
        in.end();
        boolean isPossible = revision >= 0 && firstLogSegment >= 1 && newestLogSegment >= 1 && isLsn(completeLsn);
        if (!isPossible || nextTableId < 1) {
            throw in.corrupt("the catalog has a number that none ever has");
        }
        if (!tables.isEmpty() && tables.lastKey() >= nextTableId) {
            throw in.corrupt("the catalog has table id " + tables.lastKey() + ", but the next one is " + nextTableId);
        }
        return new CatalogState(
                high, low, revision, nextTableId, firstLogSegment, newestLogSegment, completeLsn, databases, tables);
    }

    /** A greater number would leave none for the next operations. */
    private static boolean isLsn(long number) {
        return number >= 0 && number <= Long.MAX_VALUE / 2;
    }

    static TableInfo decodeTable(ByteReader in, int version) {
        int id = in.u32();
        String database = in.text();
        String name = in.text();
        String engine = in.text();
        long checkpointLsn = in.u64();
        long keptLsn = version < WITH_KEPT ? 0 : in.u64();
        Map<String, String> properties = new TreeMap<>();
        for (int count = in.count(); count > 0; count--) {
            properties.put(in.text(), in.text());
        }
        if (id < 1 || !isLsn(checkpointLsn) || !isLsn(keptLsn)) {
            throw in.corrupt("table " + name + " has id " + id + " and lsns " + checkpointLsn + " and " + keptLsn);
        }
        return new TableInfo(id, database, name, engine, new TableProperties(properties), checkpointLsn, keptLsn);
    }
}
