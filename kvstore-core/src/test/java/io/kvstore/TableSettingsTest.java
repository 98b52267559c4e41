package io.kvstore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Durability;
import io.kvstore.data.TableProperties;
import io.kvstore.error.InvalidRequestException;
import java.util.List;
import java.util.OptionalLong;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** What {@code createTable} makes of its Properties. */
final class TableSettingsTest {

    private final TableSettings settings = new TableSettings(
            KVStoreOptions.defaults().withDurability(Durability.BUFFERED).withMaxValueBytes(1_000),
            EngineRegistry.load().get("model"),
            OptionalLong.empty());

    private static Properties of(Object... keysAndValues) {
        Properties properties = new Properties();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            properties.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        return properties;
    }

    private String refused(Properties properties) {
        return String.valueOf(assertThrows(InvalidRequestException.class, () -> settings.resolve(properties))
                .getMessage());
    }

    @Test
    void constants_names_numbers_booleans_and_strings_mean_the_same() {
        TableProperties expected = settings.resolve(of("ENABLE_WAL", "false", "VALUE_THRESHOLD_BYTES", "10"));
        assertEquals(
                expected,
                settings.resolve(
                        of(TableConfParamsEnum.ENABLE_WAL, false, TableConfParamsEnum.VALUE_THRESHOLD_BYTES, 10)));
        assertEquals(expected, settings.resolve(of("ENABLE_WAL", "FALSE", "VALUE_THRESHOLD_BYTES", 10L)));
    }

    @Test
    void defaults_are_the_stores_and_the_properties_own() {
        TableProperties plain = settings.resolve(new Properties());
        assertEquals("BUFFERED", plain.text("DURABILITY"));
        assertEquals(1_000, plain.wholeNumber("MAX_VALUE_BYTES"));
        assertTrue(plain.flag("ENABLE_WAL"));
        Properties inherited = new Properties(of("DURABILITY", "sync"));
        assertEquals("SYNC", settings.resolve(inherited).text("DURABILITY"));
    }

    @Test
    void a_store_in_memory_has_no_logged_tables() {
        TableSettings inMemory = new TableSettings(
                KVStoreOptions.defaults(), EngineRegistry.load().get("model"), OptionalLong.of(1 << 20));
        assertFalse(inMemory.resolve(new Properties()).flag("ENABLE_WAL"));
        assertFalse(inMemory.resolve(of("ENABLE_WAL", false)).flag("ENABLE_WAL"));
        String refusal = String.valueOf(
                assertThrows(InvalidRequestException.class, () -> inMemory.resolve(of("ENABLE_WAL", true)))
                        .getMessage());
        assertTrue(refusal.contains("ENABLE_WAL is true") && refusal.contains("leave ENABLE_WAL out"), refusal);
    }

    @Test
    void a_temporary_table_has_no_log() {
        TableProperties temporary = settings.resolve(of("TEMPORARY", true));
        assertTrue(temporary.isTemporary());
        assertFalse(temporary.flag("ENABLE_WAL"));
        assertFalse(settings.resolve(of("TEMPORARY", true, "ENABLE_WAL", false)).flag("ENABLE_WAL"));
        assertTrue(settings.resolve(of("TEMPORARY", false, "ENABLE_WAL", true)).flag("ENABLE_WAL"));
        assertFalse(settings.resolve(new Properties()).isTemporary());
        String refusal = refused(of(TableConfParamsEnum.TEMPORARY, true, TableConfParamsEnum.ENABLE_WAL, "true"));
        assertTrue(refusal.contains("ENABLE_WAL is true, but TEMPORARY is true, too"), refusal);
        assertTrue(refused(of("TEMPORARY", "maybe")).contains("true or false"));
    }

    @Test
    void a_mistake_names_the_key_the_range_and_what_is_known() {
        String unknown = refused(of("BTREE_ORDER", 400));
        assertTrue(unknown.contains("BTREE_ORDER") && unknown.contains("ENABLE_WAL"), unknown);
        String range = refused(of("MAX_VALUE_BYTES", (1L << 30) + 1));
        assertTrue(range.contains("MAX_VALUE_BYTES") && range.contains("0 to 1073741824"), range);
        assertTrue(refused(of("ENABLE_WAL", true, TableConfParamsEnum.ENABLE_WAL, true))
                .contains("twice"));
        assertTrue(refused(of("ENABLE_WAL", "maybe")).contains("true or false"));
        assertTrue(refused(of("ENABLE_WAL", List.of())).contains("give a number"));
        assertTrue(refused(of(7, 7)).contains("key is a Integer"));
        settings.resolve(of("MAX_VALUE_BYTES", 1L << 30));
    }
}
