package io.kvstore.hash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Snapshot;
import io.kvstore.Table;
import io.kvstore.data.KeyRange;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.Storage;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Properties;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads that ask for keys do not read values, and what a damaged record means to them. Files are mapped, or they cannot be. */
final class HashKeysOnlyTest {

    private static final int KEYS = 50;
    private static final int VALUE_BYTES = 300;
    private static final int HEAD_BYTES = 20;
    private static final KeyRange ALL_KEYS = KeyRange.all().withoutValues();
    private static final int LONG_KEY_BYTES = 200;

    private final SimStorage disk = new SimStorage();

    private Storage storage(boolean isMapped) {
        return HookedStorage.over(disk, (name, path, proceed) -> {
            if (name.equals("mapReadOnly") && !isMapped) {
                throw new IOException("not here");
            }
            return proceed.call();
        });
    }

    private KVStore open(boolean isMapped) {
        return new KVStore(Path.of("unused"), KVStoreOptions.defaults().withStorage(storage(isMapped)));
    }

    /** Some keys are longer than what is read of a record at first. */
    private static byte[] key(int number) {
        int bytes = number % 5 == 0 ? LONG_KEY_BYTES : Integer.BYTES;
        return ByteBuffer.allocate(bytes).putInt(0, number).array();
    }

    private static byte[] value(int number) {
        return ByteBuffer.allocate(VALUE_BYTES).putInt(0, number).array();
    }

    private void fill() {
        try (KVStore store = open(true)) {
            store.createDB("db");
            Properties unlogged = new Properties();
            unlogged.put("ENABLE_WAL", false);
            Table table = store.createTable("db", "t", "HASH", unlogged);
            for (int i = 0; i < KEYS; i++) {
                table.put(key(i), value(i));
            }
            table.flush();
        }
    }

    /** Flips a bit of the record of a key, at a distance from the begin of the record. */
    private void damage(int number, int distance) throws IOException {
        byte[] key = key(number);
        for (String name : disk.files()) {
            byte[] bytes = name.endsWith(".val") ? disk.bytes(name) : new byte[0];
            for (int at = 0; at + HEAD_BYTES + key.length < bytes.length; at++) {
                int length = Integer.reverseBytes(ByteBuffer.wrap(bytes).getInt(at + 4));
                int keyAt = at + HEAD_BYTES;
                if (length == VALUE_BYTES && ByteBuffer.wrap(bytes).getInt(keyAt) == number) {
                    bytes[at + distance] ^= 1;
                    disk.replace(name, bytes);
                    return;
                }
            }
        }
        throw new AssertionError("the record of key " + number + " is nowhere");
    }

    private static int countKeys(Cursor keys) {
        int count = 0;
        try (keys) {
            while (keys.next()) {
                assertEquals(0, keys.value().length);
                count++;
            }
        }
        return count;
    }

    /** A key is there, though its value cannot be read. So it is in tables of the other engines. */
    @ParameterizedTest
    @CsvSource({"0, true", "0, false", "4, true", "4, false", "100, true", "100, false"})
    void a_damaged_value_does_not_matter(int distance, boolean isMapped) throws IOException {
        fill();
        damage(7, distance);
        try (KVStore store = open(isMapped)) {
            Table table = store.table("db", "t");
            for (int i = 0; i < KEYS; i++) {
                assertTrue(table.contains(key(i)), "key " + i);
            }
            assertFalse(table.contains(key(KEYS)));
            assertEquals(KEYS, countKeys(table.scan(ALL_KEYS)));
            assertThrows(CorruptionException.class, () -> table.get(key(7)));
            try (Snapshot snapshot = store.snapshot()) {
                table.put(key(7), value(8));
                table.remove(key(8));
                assertEquals(KEYS, countKeys(snapshot.scan(table, ALL_KEYS)));
                assertEquals(KEYS - 1, countKeys(table.scan(ALL_KEYS)));
                assertTrue(table.contains(key(7)));
                assertFalse(table.contains(key(8)));
            }
        }
    }

    /** A head is not checked, so what it says is no reason for the answer that a key is absent: lsn, length of key, key. */
    @ParameterizedTest
    @ValueSource(ints = {14, 16, 17, HEAD_BYTES + 2, HEAD_BYTES + 3})
    void a_damaged_head_is_noticed(int distance) throws IOException {
        fill();
        damage(7, distance);
        for (boolean isMapped : new boolean[] {true, false}) {
            try (KVStore store = open(isMapped)) {
                Table table = store.table("db", "t");
                assertThrows(CorruptionException.class, () -> table.contains(key(7)));
                assertThrows(CorruptionException.class, () -> table.get(key(7)));
                assertThrows(CorruptionException.class, () -> countKeys(table.scan(ALL_KEYS)));
                for (int i = 0; i < KEYS; i++) {
                    assertTrue(i == 7 || table.contains(key(i)), "key " + i);
                }
            }
        }
    }
}
