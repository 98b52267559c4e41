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
import java.util.stream.Stream;
import junit.framework.TestSuite;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/**
 * The contract of ConcurrentNavigableMap, as Guava's suite has written it down, over tables of both engines, on a disk and
 * in memory: of whole maps, descending maps and sub-maps, with their sets and collections. No case of these is left out.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class MapContractTest {

    /**
     * Suites of parts of parts, and of the other seven kinds of bounds. With them there would be 33,000 cases for each engine;
     * they differ in the window alone, and {@link OracleTest} has them all.
     */
    private static final Pattern ONE_PART_IS_ENOUGH = Pattern.compile(
            "(descending|sub(Map|Set)).*(descending|sub(Map|Set))|sub(Map|Set) (?!INCLUSIVE-EXCLUSIVE)");

    private final Pool lsm = new Pool(new Tables("LSM"));
    private final Pool bplus = new Pool(new Tables("BPLUS"));
    private final Pool lsmInMemory = new Pool(Tables.inMemory("LSM"));
    private final Pool bplusInMemory = new Pool(Tables.inMemory("BPLUS"));

    @AfterAll
    void close() {
        List.of(lsm, bplus, lsmInMemory, bplusInMemory).forEach(Pool::close);
    }

    @TestFactory
    List<DynamicContainer> lsm() {
        return contract(Codecs.STRING_UTF16, lsm, lsmInMemory);
    }

    @TestFactory
    List<DynamicContainer> bplus() {
        return contract(Codecs.STRING, bplus, bplusInMemory);
    }

    /** One suite for both pools: to make it takes longer than to run it. */
    private static List<DynamicContainer> contract(Codec<String> keys, Pool onDisk, Pool inMemory) {
        Maps maps = new Maps(keys, onDisk);
        TestSuite suite = ConcurrentNavigableMapTestSuiteBuilder.using(maps)
                .named("TableMap")
                .withFeatures(
                        CollectionSize.ANY,
                        CollectionFeature.KNOWN_ORDER,
                        CollectionFeature.SUPPORTS_ITERATOR_REMOVE,
                        MapFeature.GENERAL_PURPOSE)
                .createTestSuite();
        return Stream.of(onDisk, inMemory)
                .map(pool -> new Suites(
                                name -> !ONE_PART_IS_ENOUGH.matcher(name).find(),
                                () -> maps.useFrom(pool),
                                pool::takeBack)
                        .container(pool.toString(), suite))
                .toList();
    }

    /**
     * Tables of one store. Those of earlier cases are emptied and given out again, which takes a hundredth of the time that a
     * new one takes.
     */
    private static final class Pool implements AutoCloseable {

        private final Tables tables;
        private final List<Table> empty = new ArrayList<>();
        private final List<Table> used = new ArrayList<>();

        Pool(Tables tables) {
            this.tables = tables;
        }

        Table next() {
            Table table = empty.isEmpty() ? tables.next() : empty.removeLast();
            used.add(table);
            return table;
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
        public void close() {
            tables.close();
        }

        @Override
        public String toString() {
            return tables.toString();
        }
    }

    /** Makes the maps that are tried, each over a table of its own. */
    private static final class Maps extends TestStringSortedMapGenerator {

        private final Codec<String> keys;
        private Pool pool;
        private boolean isMakingSuite = true;

        Maps(Codec<String> keys, Pool pool) {
            this.keys = keys;
            this.pool = pool;
        }

        void useFrom(Pool next) {
            pool = next;
            isMakingSuite = false;
        }

        @Override
        protected SortedMap<String, String> create(Map.Entry<String, String>[] entries) {
            if (isMakingSuite) {
                pool.takeBack(); // it asks for thousands of maps then, each to see its comparator
            }
            TableMap<String, String> map = TableMap.of(pool.next(), keys, Codecs.STRING);
            for (Map.Entry<String, String> entry : entries) {
                map.set(entry.getKey(), entry.getValue());
            }
            return map;
        }
    }
}
