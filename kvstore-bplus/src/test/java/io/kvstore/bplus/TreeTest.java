package io.kvstore.bplus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bplus.file.PageFile;
import io.kvstore.bplus.page.Node;
import io.kvstore.data.KeyHash;
import io.kvstore.data.TableParameter;
import io.kvstore.engine.Findings;
import io.kvstore.engine.MemoryBudget;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.error.StoreFailedException;
import io.kvstore.testkit.EngineHarness;
import io.kvstore.value.HashIndex;
import io.kvstore.value.ValueSegmentList;
import io.kvstore.value.ValueStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What readers without a lock rely on, in a tree whose pages have at most three entries. */
final class TreeTest {

    private static final int ORDER = 3;

    private static final Relocation.Pages NO_PAGES = new Relocation.Pages() {
        @Override
        public void load(List<Long> ids) {
            throw new AssertionError("pages " + ids + " are not in memory");
        }

        @Override
        public void makeRoom(int units) {
            // there is enough
        }
    };

    /** Opens tables, and tells with what. */
    private static final class Opening implements TableEngineProvider {

        private final TableEngineProvider provider = new BPlusEngineProvider();
        private final List<TableContext> contexts = new ArrayList<>();

        @Override
        public String name() {
            return provider.name();
        }

        @Override
        public List<TableParameter> parameters() {
            return provider.parameters();
        }

        @Override
        public TableEngine open(TableContext context) throws IOException {
            contexts.add(context);
            return provider.open(context);
        }
    }

    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private EngineHarness beside;
    private TableContext context;
    private TreeParts parts;
    private Tree tree;
    private TreeReader reader;
    private long lsn;

    @BeforeEach
    void begin() throws IOException {
        Opening opening = new Opening();
        beside = EngineHarness.create(opening, Map.of());
        context = opening.contexts.getFirst();
        make(ORDER, 1 << 20);
    }

    private void make(int order, long bufferBytes) throws IOException {
        PageIds ids = new PageIds(1);
        ReentrantLock writing = new ReentrantLock();
        PageBuffer buffer = new PageBuffer(context, bufferBytes, null, ids, writing);
        Generations generations = new Generations(context.snapshots(), new Generations.State(0, 0, 0), () -> 0);
        HashIndex index =
                new HashIndex(context.memory(), MemoryBudget.Use.PAGE_BUFFER, 16 << 10, new KeyHash(context.seed()));
        ValueStore values = ValueStore.open(context, 1 << 20, 1 << 20, ValueSegmentList.EMPTY);
        parts = new TreeParts(buffer, ids, generations, values, index, writing, new ReentrantLock());
        tree = new Tree(parts, cause -> failure.compareAndSet(null, cause), order);
        LayerMerge merge = new LayerMerge(tree, new SortedMerge(tree, parts, NO_PAGES, true), writing, () -> {});
        PutBuffer puts = new PutBuffer(context, tree, parts, merge, new PutBuffer.Sizes(1_000, 1 << 20, 1 << 20));
        ValueReader valueReader = new ValueReader(values, index, context.barrier(), context.directory());
        reader = new TreeReader(buffer, tree, valueReader, puts);
    }

    @AfterEach
    void end() throws IOException {
        close();
        beside.close();
    }

    private void close() throws IOException {
        parts.buffer().close();
        parts.index().close();
        parts.values().close();
    }

    private static byte[] key(int number) {
        return new byte[] {(byte) number};
    }

    private long apply(LoggedChanges one) {
        one.sort();
        assertEquals(1, tree.replay(one, 0, 1));
        tree.replayed(lsn);
        return lsn;
    }

    private long put(int number) {
        lsn++;
        LoggedChanges one = new LoggedChanges(LoggedChanges.MAX_BYTES);
        one.addValue(key(number), lsn, new byte[] {7});
        return apply(one);
    }

    private long remove(int number) {
        lsn++;
        LoggedChanges one = new LoggedChanges(LoggedChanges.MAX_BYTES);
        one.addRemoval(key(number), lsn);
        return apply(one);
    }

    private void assertAbsent(int number, long removed) throws IOException {
        TreeReader.Answer answer = reader.getNewest(key(number));
        assertNull(answer.value());
        assertTrue(answer.lsn() >= removed, "the answer rests on " + answer.lsn() + ", not on " + removed);
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
        try (Generations.Look look = parts.generations().look(Long.MAX_VALUE)) {
            put(0);
            assertFalse(tree.root() == look.state().rootId(), "a page that is looked at is not changed");
            assertFalse(before.isUnchanged(version));
            assertTrue(before.beginRead() != Page.GONE, "whoever looks at the older state can read it");
        }
    }

    @Test
    void an_answer_rests_on_the_removal_that_made_the_tree_lower() throws IOException {
        for (int number : new int[] {2, 3, 4, 1, 5, 6}) {
            put(number);
        }
        assertEquals(2, tree.height());
        for (int i = 1; tree.height() == 2; i++) {
            long last = remove(i);
            assertAbsent(i, last);
        }
        assertEquals(6, lsn - 3, "the first leaf was to become empty, not to be merged");
    }

    /** A value that is replaced by nothing before it is in the tree leaves no trace in a page. */
    @Test
    void an_answer_rests_on_a_removal_of_what_was_never_in_the_tree() throws IOException {
        put(1);
        replay(5, 40, 5, 50);
        assertAbsent(5, 50);
    }

    /** The tree becomes empty by a later operation than that of the next key. */
    @Test
    void an_answer_rests_on_the_removal_that_emptied_the_tree() throws IOException {
        put(1);
        replay(5, 50, 1, 100);
        assertAbsent(1, 100);
    }

    private void replay(int given, long givenLsn, int removed, long removedLsn) {
        LoggedChanges both = new LoggedChanges(LoggedChanges.MAX_BYTES);
        both.addValue(key(given), givenLsn, new byte[] {7});
        both.addRemoval(key(removed), removedLsn);
        replay(both);
    }

    /** Changes come in the order of keys: the one for which entries move may be older than those that put them. */
    @Test
    void an_answer_rests_on_what_moved_to_a_neighbour() throws IOException {
        close();
        make(400, 2 * PageFile.UNIT_BYTES);
        LoggedChanges all = new LoggedChanges(LoggedChanges.MAX_BYTES);
        for (int i = 0; i < 30; i++) {
            all.addValue(key(2 * i), 1, new byte[200]);
        }
        replay(all);
        Page root = pageOf(tree.root());
        int separator = Node.key(root.bytes(), 1)[0];
        LoggedChanges last = new LoggedChanges(LoggedChanges.MAX_BYTES);
        last.addValue(key(separator - 2), 100, new byte[200]);
        replay(last);
        LoggedChanges first = new LoggedChanges(LoggedChanges.MAX_BYTES);
        first.addValue(key(1), 60, new byte[200]);
        replay(first);
        assertEquals(2, Node.count(root.bytes()), "the leaf was divided");
        assertTrue(Node.key(root.bytes(), 1)[0] <= separator - 2, "nothing moved");
        assertEquals(100, reader.getNewest(key(separator - 2)).lsn());
        for (int i = 0; i < 30; i++) {
            assertNotNull(reader.getNewest(key(2 * i)).value(), "key " + 2 * i);
        }
    }

    private void replay(LoggedChanges changes) {
        changes.sort();
        for (int done = 0; done < changes.size(); ) {
            done = tree.replay(changes, done, 1);
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
            LoggedChanges changes = new LoggedChanges(LoggedChanges.MAX_BYTES);
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
            tree.replayed(lsn);
            mergeSparse(model);
            assertWhole(round);
        }
        for (Map.Entry<Integer, byte[]> entry : model.entrySet()) {
            assertNotNull(reader.getNewest(longKey(entry.getKey())).value(), "key " + entry.getKey());
        }
    }

    private void removeNext(NavigableMap<Integer, byte[]> model, int number, LoggedChanges changes) {
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
        new TreeCheck(
                        parts.buffer(),
                        parts.values(),
                        parts.generations().look(Long.MAX_VALUE),
                        ValueSegmentList.EMPTY,
                        findings)
                .run();
        assertEquals(List.of(), findings.kept(), "round " + round);
    }

    @Test
    void a_tree_whose_change_ended_in_the_middle_gives_no_answers() {
        put(1);
        Page root = pageOf(tree.root());
        LoggedChanges none = new LoggedChanges(LoggedChanges.MAX_BYTES);
        none.addRemoval(key(1), 2);
        assertThrows(IndexOutOfBoundsException.class, () -> tree.replay(none, -1, 1));
        assertThrows(StoreFailedException.class, () -> tree.replayed(3));
        assertTrue(failure.get() instanceof IndexOutOfBoundsException, "the store was not told");
        root.beginChange();
        assertThrows(StoreFailedException.class, () -> reader.getNewest(key(1)));
    }
}
