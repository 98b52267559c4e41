package io.kvstore.bplus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bplus.buffer.Page;
import io.kvstore.bplus.change.ChangeArena;
import io.kvstore.bplus.change.SortedChanges;
import io.kvstore.bplus.page.Node;
import io.kvstore.bplus.tree.Tree;
import io.kvstore.bplus.tree.TreeCheck;
import io.kvstore.bplus.tree.TreeParts;
import io.kvstore.bplus.tree.TreeVersions;
import io.kvstore.engine.Findings;
import io.kvstore.error.StoreFailedException;
import io.kvstore.value.segment.ValueSegmentList;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What readers without a lock rely on, in a tree whose pages have at most three entries. */
final class TreeTest {

    private static final int ORDER = 3;

    private TestTree table;
    private TreeParts parts;
    private Tree tree;
    private PointReader reader;
    private long lsn;

    @BeforeEach
    void begin() throws IOException {
        make(ORDER, 1 << 20);
    }

    private void make(int order, long bufferBytes) throws IOException {
        table = new TestTree(order, bufferBytes, () -> new long[0], null);
        parts = table.parts();
        tree = table.tree();
        reader = table.points();
    }

    @AfterEach
    void close() throws IOException {
        table.close();
    }

    private static byte[] key(int number) {
        return new byte[] {(byte) number};
    }

    private long apply(ChangeArena one) {
        assertEquals(1, tree.applySorted(one.sort(), 0, 1));
        tree.applied(lsn);
        return lsn;
    }

    private long put(int number) {
        lsn++;
        ChangeArena one = new ChangeArena(ChangeArena.MAX_BYTES);
        one.addValue(key(number), lsn, new byte[] {7});
        return apply(one);
    }

    private Page pageOf(long id) {
        Page page = parts.buffer().get(id);
        if (page == null) {
            throw new AssertionError("page " + id + " is not in memory");
        }
        return page;
    }

    /** The ids below it may be given to others before it goes itself, so nobody may follow them from it. */
    @Test
    void a_reader_of_a_page_that_is_replaced_comes_again() {
        for (int i = 0; i < 10; i++) {
            put(i);
        }
        Page before = pageOf(tree.root());
        assertTrue(Node.level(before.bytes()) > 0);
        long version = before.beginRead();
        try (TreeVersions.Look look = parts.versions().look()) {
            put(0);
            assertFalse(tree.root() == look.state().rootId(), "a page that is looked at is not changed");
            assertFalse(before.isUnchanged(version));
            assertTrue(before.beginRead() != Page.GONE, "whoever looks at the older state can read it");
        }
    }

    private void replay(ChangeArena changes) {
        SortedChanges sorted = changes.sort();
        for (int done = 0; done < sorted.size(); ) {
            done = tree.applySorted(sorted, done, 1);
        }
    }

    /**
     * Pages are dropped and divided in every place of a tree that is now high, now low: keys of a page ascend, and each is
     * where it is looked for.
     */
    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5})
    void pages_keep_their_order_whatever_is_put_and_removed(int order) throws IOException {
        close();
        make(order, 4 << 20);
        SplittableRandom random = new SplittableRandom(order);
        TreeMap<Integer, byte[]> model = new TreeMap<>();
        for (int round = 0; round < 200; round++) {
            boolean removes = round % 8 < 4;
            int from = random.nextInt(1 << 16);
            int keys = 1 + random.nextInt(removes ? 1 << 15 : 1 << 9);
            ChangeArena changes = new ChangeArena(ChangeArena.MAX_BYTES);
            for (int i = 0; i < 60; i++) {
                lsn++;
                int number = (from + random.nextInt(keys)) & 0xFFFF;
                if (removes && random.nextInt(4) > 0) {
                    removeNext(model, number, changes);
                } else {
                    byte[] value = {(byte) lsn};
                    model.put(number, value);
                    changes.addValue(longKey(number), lsn, value);
                }
            }
            replay(changes);
            tree.applied(lsn);
            mergeSparse(model);
            assertWhole(round);
        }
        for (Map.Entry<Integer, byte[]> entry : model.entrySet()) {
            assertNotNull(reader.getNewest(longKey(entry.getKey()), null).value(), "key " + entry.getKey());
        }
    }

    private void removeNext(NavigableMap<Integer, byte[]> model, int number, ChangeArena changes) {
        Integer next = model.ceilingKey(number);
        if (next != null) {
            model.remove(next);
            changes.addRemoval(longKey(next), lsn);
        }
    }

    /** Of some numbers long, with much or little in common with those beside it. */
    private static byte[] longKey(int number) {
        byte[] key = new byte[2 + (number % 7 == 0 ? number % 50 : 0)];
        key[0] = (byte) (number >> 8);
        key[1] = (byte) number;
        return key;
    }

    private void mergeSparse(NavigableMap<Integer, byte[]> model) {
        for (Integer number : model.keySet()) {
            if (number % 16 == 0) {
                assertTrue(tree.mergeSparse(longKey(number)), "a page is not in memory");
            }
        }
    }

    private void assertWhole(int round) throws IOException {
        Findings findings = new Findings();
        new TreeCheck(parts, ValueSegmentList.EMPTY, findings).run();
        assertEquals(List.of(), findings.kept(), "round " + round);
    }

    @Test
    void a_tree_whose_change_ended_in_the_middle_gives_no_answers() {
        put(1);
        Page root = pageOf(tree.root());
        ChangeArena none = new ChangeArena(ChangeArena.MAX_BYTES);
        none.addRemoval(key(1), 2);
        assertThrows(IndexOutOfBoundsException.class, () -> tree.applySorted(none.sort(), -1, 1));
        assertThrows(StoreFailedException.class, () -> tree.applied(3));
        assertTrue(table.failure() instanceof IndexOutOfBoundsException, "the store was not told");
        root.beginChange();
        assertThrows(StoreFailedException.class, () -> reader.getNewest(key(1), null));
    }
}
