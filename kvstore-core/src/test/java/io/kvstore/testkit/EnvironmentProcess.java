package io.kvstore.testkit;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyRange;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Properties;

/**
 * What {@link EnvironmentContract} has done in a process of its own, which was started with a locale, a time zone and a charset
 * that are unlike those of this one: stores of the other are opened and written on, and one is made for each locale, whose
 * writer changes the locale while it is open.
 */
final class EnvironmentProcess {

    /** The first is the one that the process is started with: digits of their own, calendars, an I without a dot. */
    static final List<String> LOCALES = List.of("fa-IR", "th-TH-u-nu-thai-ca-buddhist", "tr-TR");

    static final String DATABASE = "d";
    static final String TABLE = "TITLE";
    private static final int PUTS = 150;

    private EnvironmentProcess() {}

    static KVStoreOptions options() {
        return KVStoreOptions.defaults()
                .withDurability(Durability.BUFFERED)
                .withMemoryBytes(16 << 20)
                .withWalSegmentBytes(64 << 10);
    }

    /** Makes a store in a directory and closes it. */
    static void make(Path directory, StoreScenario.Engine engine) {
        try (KVStore store = new KVStore(directory, options())) {
            store.createDB(DATABASE);
            fill(store.createTable(DATABASE, TABLE, engine.name(), properties(engine)), 0);
        }
    }

    static Properties properties(StoreScenario.Engine engine) {
        Properties properties = new Properties();
        engine.parameters().forEach((name, value) -> properties.setProperty(name, String.valueOf(value)));
        return properties;
    }

    /** Opens a store that has the entries of so many rounds, checks them and writes those of one more. */
    static void goOn(Path directory, int rounds) {
        try (KVStore store = new KVStore(directory, options())) {
            Table table = store.table(DATABASE, TABLE);
            long count = table.count(KeyRange.all());
            if (count != (long) rounds * PUTS) {
                throw new AssertionError(directory + " has " + count + " entries of " + rounds * PUTS);
            }
            fill(table, rounds);
        }
    }

    private static void fill(Table table, int round) {
        for (int i = 0; i < PUTS; i++) {
            byte[] key = ("key " + round + " " + i).getBytes(StandardCharsets.UTF_8);
            table.put(key, new byte[i % 10 == 0 ? 5_000 : 500]);
        }
        table.flush();
    }

    /** Arguments: the directory, the engine, and names and values of its parameters in turn. */
    public static void main(String[] arguments) {
        Path directory = Path.of(arguments[0]);
        Properties properties = new Properties();
        for (int i = 2; i < arguments.length; i += 2) {
            properties.setProperty(arguments[i], arguments[i + 1]);
        }
        for (int i = 0; i < LOCALES.size(); i++) {
            Locale locale = Locale.forLanguageTag(LOCALES.get(i));
            if (i > 0) {
                Locale.setDefault(locale);
            }
            goOn(directory.resolve("given"), 1 + i);
            Path own = directory.resolve(LOCALES.get(i));
            try (KVStore store = new KVStore(own, options())) {
                store.createDB(DATABASE);
                Table table = store.createTable(DATABASE, TABLE, arguments[1], properties);
                fill(table, 0);
                Locale.setDefault(Locale.ENGLISH);
                fill(table, 1);
                Locale.setDefault(locale);
            }
        }
    }
}
