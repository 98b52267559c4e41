package io.kvstore.bench.maps;

import io.github.whippetdb.db.api.DbBuilder;
import io.github.whippetdb.db.api.types.LongIO;
import io.kvstore.bench.store.ContenderKind;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import net.openhft.chronicle.map.ChronicleMap;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.LongDataType;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;

/** The maps, each with the settings that its library recommends for a map of numbers in memory that threads share. */
enum MapKind {
    /** A {@code BPLUS} table of a store in memory with the default options. */
    KVSTORE_BPLUS,
    /** The same of an {@code LSM} table. */
    KVSTORE_LSM,
    /** whippet-db, in memory. The store is in a lock, and each thread has a map of its own over it. */
    WHIPPET,
    /** H2 MVStore without a file. */
    MVSTORE,
    /** A tree of MapDB outside the heap, without transactions. */
    MAPDB,
    /** Chronicle Map outside the heap. It is made for the number of entries, and has no order. */
    CHRONICLE,
    /** The ordered concurrent map of the JDK. */
    SKIP_LIST;

    boolean isOurs() {
        return this == KVSTORE_BPLUS || this == KVSTORE_LSM;
    }

    /** The command that runs its JVM; empty if the JVM needs none. */
    List<String> before() {
        return this == CHRONICLE ? ContenderKind.CHRONICLE.before() : List.of();
    }

    /** The flags that its JVM is started with, beside those of all. */
    List<String> jvmFlags() {
        return switch (this) {
            case CHRONICLE -> ContenderKind.CHRONICLE.jvmFlags();
            case WHIPPET, MAPDB -> List.of("--sun-misc-unsafe-memory-access=allow");
            case KVSTORE_BPLUS, KVSTORE_LSM, MVSTORE, SKIP_LIST -> List.of();
        };
    }

    /**
     * Opens an empty map.
     *
     * @param entries the number of entries that it will have
     */
    LongMap open(long entries) throws IOException {
        return switch (this) {
            case KVSTORE_BPLUS -> new TableLongMap("BPLUS");
            case KVSTORE_LSM -> new TableLongMap("LSM");
            case WHIPPET -> whippet();
            case MVSTORE -> mvstore();
            case MAPDB -> mapdb();
            case CHRONICLE -> chronicle(entries);
            case SKIP_LIST -> {
                Map<Long, Long> map = new ConcurrentSkipListMap<>();
                yield () -> map;
            }
        };
    }

    private static LongMap whippet() {
        DbBuilder<Long, Long> builder =
                new DbBuilder<>(new LongIO(), new LongIO()).synchronize(true).create();
        return new LongMap() {
            @Override
            public Map<Long, Long> map() {
                // the store is in a lock, but each map has one buffer for keys, without one
                return builder.asMap();
            }

            @Override
            public long ownBytes() {
                return builder.db().allocatedSize();
            }
        };
    }

    private static LongMap mvstore() {
        MVStore store = new MVStore.Builder().open();
        Map<Long, Long> map = store.openMap(
                "entries",
                new MVMap.Builder<Long, Long>().keyType(LongDataType.INSTANCE).valueType(LongDataType.INSTANCE));
        return new LongMap() {
            @Override
            public Map<Long, Long> map() {
                return map;
            }

            @Override
            public void close() {
                store.close();
            }
        };
    }

    private static LongMap mapdb() {
        DB db = DBMaker.memoryDirectDB().make();
        Map<Long, Long> map =
                db.treeMap("entries", Serializer.LONG, Serializer.LONG).create();
        return new LongMap() {
            @Override
            public Map<Long, Long> map() {
                return map;
            }

            @Override
            public void close() {
                db.close();
            }
        };
    }

    private static LongMap chronicle(long entries) {
        ChronicleMap<Long, Long> map = ChronicleMap.of(Long.class, Long.class)
                .name("entries")
                .entries(entries)
                .create();
        return new LongMap() {
            @Override
            public Map<Long, Long> map() {
                return map;
            }

            @Override
            public long ownBytes() {
                return map.offHeapMemoryUsed();
            }

            @Override
            public void close() {
                map.close();
            }
        };
    }
}
