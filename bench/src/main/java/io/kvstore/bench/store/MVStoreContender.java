package io.kvstore.bench.store;

import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.ByteArrayDataType;
import org.jspecify.annotations.Nullable;

/**
 * H2 MVStore with one map. It has no log and commits by itself. It keeps the arrays that it gets and returns its own, so arrays
 * are copied both ways.
 */
final class MVStoreContender implements Contender {

    private final MVStore store;
    private final MVMap<byte[], byte[]> map;

    MVStoreContender(StoreSetup setup) {
        store = new MVStore.Builder()
                .fileName(setup.directory().resolve("entries.mv").toString())
                .cacheSize((int) (setup.budgetBytes() >> 20))
                .open();
        map = store.openMap(
                "entries",
                new MVMap.Builder<byte[], byte[]>()
                        .keyType(ByteArrayDataType.INSTANCE)
                        .valueType(ByteArrayDataType.INSTANCE));
    }

    @Override
    public Session session() {
        return new Session() {
            @Override
            public void put(byte[] key, byte[] value) {
                map.put(key.clone(), value.clone());
            }

            @Override
            public void remove(byte[] key) {
                map.remove(key);
            }

            @Override
            public byte @Nullable [] get(byte[] key) {
                byte[] value = map.get(key);
                return value == null ? null : value.clone();
            }

            @Override
            public void scan(byte[] from, int limit, Visitor visitor) {
                Cursor<byte[], byte[]> cursor = map.cursor(from);
                for (int left = limit; left > 0 && cursor.hasNext(); left--) {
                    byte[] key = cursor.next();
                    visitor.visit(key.clone(), cursor.getValue().clone());
                }
            }

            @Override
            public void close() {
                // All sessions share the map.
            }
        };
    }

    @Override
    public void flush() {
        store.commit();
    }

    @Override
    public void close() {
        store.close();
    }
}
