package io.kvstore.client.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.client.ClientBatch;
import io.kvstore.client.ClientDurability;
import io.kvstore.client.ClientTable;
import io.kvstore.client.KVClient;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.KVClientException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.function.Executable;

/** Where scenarios play: a client, and a database of their own that is dropped at the end. */
@TestInstance(Lifecycle.PER_CLASS)
public interface Stage {

    /** Numbers the tables, so that no two scenarios meet in one. */
    AtomicInteger TABLES = new AtomicInteger();

    /** The client that is tested. */
    KVClient client();

    /** The database, which nobody else uses. */
    String database();

    /** Makes the database. */
    @BeforeAll
    default void enter() {
        assertTrue(client().createDatabase(database()), "the database was there before");
    }

    /** Drops the database, and those that a scenario left whose names begin with its name. */
    @AfterAll
    default void leave() {
        for (String left : client().databases()) {
            if (left.startsWith(database())) {
                client().tables(left).forEach(table -> client().dropTable(left, table));
                client().dropDatabase(left);
            }
        }
    }

    /** A new table. */
    default ClientTable newTable(String engine) {
        String name = engine + "-" + TABLES.incrementAndGet();
        client().createTable(database(), name, engine);
        return client().table(database(), name).withDurability(ClientDurability.BUFFERED);
    }

    /** Puts entries {@code k00000}, {@code k00001} and so on; the value of an entry is its key after a "v". */
    default void fill(ClientTable table, int entries) {
        ClientBatch batch = ClientBatch.in(table.database());
        for (int i = 0; i < entries; i++) {
            batch.put(table.name(), key(i), bytes("v" + key(i)));
        }
        client().write(batch, ClientDurability.BUFFERED);
    }

    /** The key of an entry that {@link #fill} puts. */
    static String key(int number) {
        return String.format(Locale.ROOT, "k%05d", number);
    }

    /** Text as bytes. */
    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Bytes as text. */
    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Bytes that are not all the same. */
    static byte[] pattern(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * 31 + (i >> 8));
        }
        return bytes;
    }

    /** The exception of a call, which must have this class and this code. */
    static <E extends KVClientException> E fails(Class<E> type, ErrorCode code, Executable call) {
        E failure = assertThrows(type, call);
        assertEquals(code, failure.code(), failure::toString);
        return failure;
    }
}
