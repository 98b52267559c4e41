package io.kvstore.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvstore.data.TableProperties;
import io.kvstore.error.KVStoreException;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Labels of the directories of tables. */
final class TableLabelTest {

    private static final String DIRECTORY = "tables/0000000003";
    private static final String PATH = DIRECTORY + "/LABEL";

    private final SimStorage disk = new SimStorage();
    private final TableInfo table =
            new TableInfo(3, "db", "orders", "LSM", new TableProperties(Map.of("DURABILITY", "SYNC")), 0, 0);

    @BeforeEach
    void label() throws IOException {
        disk.createDirectory("tables");
        disk.createDirectory(DIRECTORY);
        CatalogState store = new CatalogState(1, 2, 3, 4, 1, 1, 0, new TreeSet<>(), new TreeMap<>());
        TableLabel.write(disk, DIRECTORY, store, table);
    }

    @Test
    void a_label_says_which_table_it_is_of() throws IOException {
        assertEquals(new TableLabel(1, 2, table), TableLabel.read(disk, DIRECTORY));
        disk.delete(PATH);
        assertNull(TableLabel.read(disk, DIRECTORY));
    }

    @Test
    void each_bit_and_each_length_is_checked() throws IOException {
        byte[] sound = disk.bytes(PATH);
        for (int bit = 0; bit < 8 * sound.length; bit++) {
            byte[] bytes = sound.clone();
            bytes[bit / 8] ^= (byte) (1 << bit % 8);
            disk.replace(PATH, bytes);
            assertThrows(KVStoreException.class, () -> TableLabel.read(disk, DIRECTORY), "bit " + bit);
        }
        for (int length = 0; length < sound.length; length++) {
            disk.replace(PATH, Arrays.copyOf(sound, length));
            assertThrows(KVStoreException.class, () -> TableLabel.read(disk, DIRECTORY), "length " + length);
        }
        disk.replace(PATH, Arrays.copyOf(sound, sound.length + 1));
        assertThrows(KVStoreException.class, () -> TableLabel.read(disk, DIRECTORY));
    }
}
