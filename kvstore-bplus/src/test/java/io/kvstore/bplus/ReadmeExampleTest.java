package io.kvstore.bplus;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvstore.KVStore;
import io.kvstore.TableEngineType;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example of a B+tree table as users copy it; the formatter alone may touch it. */
final class ReadmeExampleTest {

    private final PrintStream console = System.out;
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @BeforeEach
    void listen() {
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void the_comments_say_what_was_printed() {
        System.setOut(console);
        assertEquals(
                List.of("value1", "value2", "value3", "null", "null", "null", "value3", "null"),
                printed.toString(StandardCharsets.UTF_8).lines().toList());
    }

    @SuppressWarnings({"ArrayToString", "DoubleBraceInitialization", "DefaultCharset", "SystemOut"}) // verbatim
    @Test
    public void ex1(@TempDir Path dir) {
        try (KVStore kvStore = new KVStore(dir.toFile())) {
            // creating db
            String dbName = "bplus_test_db";
            kvStore.createDB(dbName);
            // creating table
            String tblName = "bplus_table_test";
            // bplus table properties
            Properties properties = new Properties() {
                {
                    put(BPlusConfParamsEnum.BTREE_ORDER, 400);
                }
            };
            kvStore.createTable(dbName, tblName, TableEngineType.BPLUS.toString(), properties);
            // adding records
            kvStore.put(dbName, tblName, "key1", "value1".getBytes());
            kvStore.put(dbName, tblName, "key2", "value2".getBytes());
            kvStore.put(dbName, tblName, "key3", "value3".getBytes());
            // getting values
            System.out.println(new String(kvStore.get(dbName, tblName, "key1"))); // value1
            System.out.println(new String(kvStore.get(dbName, tblName, "key2"))); // value2
            System.out.println(new String(kvStore.get(dbName, tblName, "key3"))); // value3
            System.out.println(kvStore.get(dbName, tblName, "key4")); // null
            // deleting several records
            kvStore.remove(dbName, tblName, "key1");
            kvStore.remove(dbName, tblName, "key2");
            // getting records
            System.out.println(kvStore.get(dbName, tblName, "key1")); // null
            System.out.println(kvStore.get(dbName, tblName, "key2")); // null
            System.out.println(new String(kvStore.get(dbName, tblName, "key3"))); // value3
            System.out.println(kvStore.get(dbName, tblName, "key4")); // null
            // dropping table
            kvStore.dropTable(dbName, tblName);
            // dropping db
            kvStore.dropDB(dbName);
        }
    }
}
