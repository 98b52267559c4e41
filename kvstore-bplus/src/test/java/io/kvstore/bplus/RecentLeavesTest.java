package io.kvstore.bplus;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bplus.buffer.Page;
import io.kvstore.bplus.change.ChangeArena;
import io.kvstore.bplus.page.Node;
import io.kvstore.value.segment.StoredValue;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A thread that reads a leaf again does not search for it, and finds what the tree has. */
final class RecentLeavesTest {

    private static final int KEYS = 60;

    private static byte[] key(int number) {
        return ("key-" + (1_000 + number)).getBytes(StandardCharsets.US_ASCII);
    }

    /** Changes a tree without a change buffer, so that each change is in the tree at once. */
    private static final class Changed implements AutoCloseable {

        private final TestTree table;
        private long lsn;

        Changed(int order) throws IOException {
            table = new TestTree(order, 4 << 20, () -> new long[0], null);
        }

        /** @param value null to remove the key */
        void change(int number, byte @Nullable [] value) {
            lsn++;
            ChangeArena one = new ChangeArena(ChangeArena.MAX_BYTES);
            if (value == null) {
                one.addRemoval(key(number), lsn);
            } else {
                one.addValue(key(number), lsn, value);
            }
            assertEquals(1, table.tree().applySorted(one.sort(), 0, 1));
            table.tree().applied(lsn);
        }

        Page root() {
            return requireNonNull(table.parts().buffer().get(table.tree().root()));
        }

        @Nullable
        StoredValue tryGet(int number) throws IOException {
            return table.reader().tryGetNewest(key(number), 0, null);
        }

        byte @Nullable [] get(int number) throws IOException {
            return requireNonNull(tryGet(number)).value();
        }

        @Override
        public void close() throws IOException {
            table.close();
        }
    }

    private static Changed filled() throws IOException {
        Changed tree = new Changed(4);
        for (int i = 0; i < KEYS; i++) {
            tree.change(i, new byte[] {(byte) i});
        }
        assertTrue(Node.level(tree.root().bytes()) > 0);
        return tree;
    }

    @Test
    void a_leaf_that_was_read_twice_is_read_without_a_search() throws IOException {
        try (Changed tree = filled()) {
            tree.get(8);
            tree.get(8);
            tree.root().beginChange(); // a search meets a page that is being changed, and has no answer
            assertArrayEquals(new byte[] {8}, tree.get(8));
            assertNull(tree.tryGet(50));
            tree.root().endChange();
            assertNotNull(tree.tryGet(50));
        }
    }

    @Test
    void a_leaf_that_has_changed_is_searched_for() throws IOException {
        try (Changed tree = filled()) {
            tree.get(8);
            tree.get(8);
            tree.change(8, new byte[] {77});
            assertArrayEquals(new byte[] {77}, tree.get(8));
            tree.get(8);
            tree.change(8, null);
            assertNull(tree.get(8));
        }
    }

    /** The bytes of a leaf that an older state keeps stay as they were. */
    @Test
    void a_leaf_that_only_an_older_state_has_is_searched_for() throws IOException {
        try (Changed tree = filled()) {
            tree.get(8);
            tree.get(8);
            try (var _ = tree.table.parts().versions().look()) {
                tree.change(8, new byte[] {77});
                assertArrayEquals(new byte[] {77}, tree.get(8));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 8, 1_000})
    void whatever_is_changed_is_found(int order) throws IOException {
        SplittableRandom random = new SplittableRandom(order);
        Map<Integer, byte @Nullable []> model = new TreeMap<>();
        try (Changed tree = new Changed(order)) {
            for (int round = 0; round < 2_000; round++) {
                int number = random.nextInt(KEYS);
                byte[] value = random.nextInt(5) < 2 ? null : new byte[] {(byte) round, (byte) (round >> 8)};
                tree.change(number, value);
                model.put(number, value);
                int from = Math.max(0, number - random.nextInt(4));
                for (int asked = from; asked < from + 6; asked++) {
                    assertArrayEquals(model.get(asked), tree.get(asked), "round " + round + ", key " + asked);
                }
            }
        }
    }
}
