package io.kvstore.lsm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.engine.BlockCodec;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.testkit.BlockCodecContract;
import io.kvstore.testkit.DeflateCodec;
import io.kvstore.testkit.SimStorage;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** The parameter {@code COMPRESSION}, with the codec of the tests. */
final class CompressionTest extends BlockCodecContract {

    @Override
    protected BlockCodec codec() {
        return new DeflateCodec();
    }

    private static Properties parameters(String... namesAndValues) {
        Properties properties = new Properties();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            properties.setProperty(namesAndValues[i], namesAndValues[i + 1]);
        }
        return properties;
    }

    @Test
    void a_codec_that_is_not_there_is_named_with_its_jar_and_nothing_is_created() {
        SimStorage disk = new SimStorage();
        try (KVStore store =
                new KVStore(Path.of("unused"), KVStoreOptions.defaults().withStorage(disk))) {
            store.createDB("db");
            InvalidRequestException refusal = assertThrows(
                    InvalidRequestException.class,
                    () -> store.createTable("db", "t", "LSM", parameters("COMPRESSION", "lz4")));
            assertEquals(
                    "there is no codec LZ4 on the class path; there are NONE and [DEFLATE]. Add kvstore-codec-lz4.jar",
                    refusal.getMessage());
            assertEquals(List.of(), store.tables("db"));
            assertThrows(
                    InvalidRequestException.class,
                    () -> store.createTable("db", "t", "LSM", parameters("COMPRESSION", "a/b")));
            assertThrows(
                    InvalidRequestException.class,
                    () -> store.createTable("db", "t", "LSM", parameters("COMPRESSION", "x".repeat(33))));
            store.createTable("db", "t", "LSM").put("key", new byte[1]);
        }
    }

    @Test
    void a_given_threshold_stays() {
        SimStorage disk = new SimStorage();
        try (KVStore store =
                new KVStore(Path.of("unused"), KVStoreOptions.defaults().withStorage(disk))) {
            store.createDB("db");
            Properties both = parameters("COMPRESSION", "DEFLATE", "VALUE_THRESHOLD_BYTES", "100");
            Table table = store.createTable("db", "t", "LSM", both);
            assertEquals("100", table.properties().text("VALUE_THRESHOLD_BYTES"));
            Properties none = parameters("COMPRESSION", "none");
            assertEquals(
                    "256",
                    store.createTable("db", "u", "LSM", none).properties().text("VALUE_THRESHOLD_BYTES"));
            table.put("key", new byte[1000]);
            table.flush();
            assertArrayEquals(new byte[1000], table.get("key"));
        }
    }
}
