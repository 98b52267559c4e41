package io.kvstore.views;

import com.google.common.collect.testing.ConcurrentNavigableMapTestSuiteBuilder;
import com.google.common.collect.testing.TestStringSortedMapGenerator;
import com.google.common.collect.testing.features.CollectionFeature;
import com.google.common.collect.testing.features.CollectionSize;
import com.google.common.collect.testing.features.MapFeature;
import io.kvstore.Cursor;
import io.kvstore.Table;
import io.kvstore.data.KeyRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.regex.Pattern;
import junit.framework.TestSuite;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/**
 * The contract of ConcurrentNavigableMap, as Guava's suite has written it down, over tables of both engines: of whole maps,
 * descending maps and sub-maps, with their sets and collections. No case of these is left out.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class MapContractTest {

    /**
     * Suites of parts of parts, and of the other seven kinds of bounds. With them there would be 33,000 cases for each engine;
     * they differ in the window alone, and {@link OracleTest} has them all.
     */
    private static final Pattern ONE_PART_IS_ENOUGH = Pattern.compile(
            "(descending|sub(Map|Set)).*(descending|sub(Map|Set))|sub(Map|Set) (?!INCLUSIVE-EXCLUSIVE)");

    private final Tables lsm = new Tables("LSM");
    private final Tables bplus = new Tables("BPLUS");

    @AfterAll
    void close() {
        lsm.close();
        bplus.close();
    }

    @TestFactory
    DynamicContainer lsm() {
        return contract(new Maps(lsm, Codecs.STRING_UTF16));
    }

    @TestFactory
    DynamicContainer bplus() {
        return contract(new Maps(bplus, Codecs.STRING));
    }

    private static DynamicContainer contract(Maps maps) {
        TestSuite suite = ConcurrentNavigableMapTestSuiteBuilder.using(maps)
                .named("TableMap")
                .withFeatures(
                        CollectionSize.ANY,
                        CollectionFeature.KNOWN_ORDER,
                        CollectionFeature.SUPPORTS_ITERATOR_REMOVE,
                        MapFeature.GENERAL_PURPOSE)
                .createTestSuite();
        maps.suiteIsMade();
        return new Suites(name -> !ONE_PART_IS_ENOUGH.matcher(name).find(), maps::takeBack).container(suite);
    }

    /**
     * Makes the maps that are tried, each over a table of its own. Tables of earlier cases are emptied and given out again,
     * which takes a hundredth of the time that a new one takes.
     */
    private static final class Maps extends TestStringSortedMapGenerator {

        private final Tables tables;
        private final Codec<String> keys;
        private final List<Table> empty = new ArrayList<>();
        private final List<Table> used = new ArrayList<>();
        private boolean isMakingSuite = true;

        Maps(Tables tables, Codec<String> keys) {
            this.tables = tables;
            this.keys = keys;
        }

        void suiteIsMade() {
            isMakingSuite = false;
        }

        /** Takes the tables of a case back. */
        void takeBack() {
            for (Table table : used) {
                try (Cursor entries = table.scan(KeyRange.all().withoutValues())) {
                    while (entries.next()) {
                        table.remove(entries.key());
                    }
                }
            }
            empty.addAll(used);
            used.clear();
        }

        @Override
        protected SortedMap<String, String> create(Map.Entry<String, String>[] entries) {
            if (isMakingSuite) {
                takeBack(); // it asks for thousands of maps then, each to see its comparator
            }
            Table table = empty.isEmpty() ? tables.next() : empty.removeLast();
            used.add(table);
            TableMap<String, String> map = TableMap.of(table, keys, Codecs.STRING);
            for (Map.Entry<String, String> entry : entries) {
                map.set(entry.getKey(), entry.getValue());
            }
            return map;
        }
    }
}
