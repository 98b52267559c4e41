package io.kvstore.bplus.page;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bytes.Slice;
import io.kvstore.data.KeyOrder;
import io.kvstore.testkit.Seeds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Pages against a sorted map, through every kind of change. */
final class NodeTest {

    private final NodeEditor editor = new NodeEditor();

    /** A leaf and what it should hold. */
    private static final class Leaf {
        final MemorySegment page;
        final TreeMap<byte[], byte[]> model = new TreeMap<>(KeyOrder.COMPARATOR);

        Leaf(int units) {
            page = newPage(units);
            NodeEditor.clear(page, 77, 0);
        }
    }

    private static MemorySegment newPage(int units) {
        return Arena.ofAuto().allocate((long) units * PageFormat.UNIT_BYTES, 8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private boolean put(Leaf leaf, byte[] key, byte[] value) {
        int found = Node.find(leaf.page, key);
        if (found >= 0) {
            NodeEditor.remove(leaf.page, found);
            leaf.model.remove(key);
        }
        int index = Node.find(leaf.page, key);
        assertTrue(index < 0);
        boolean pointer = value.length % 2 == 1;
        boolean done = editor.insert(leaf.page, -1 - index, key, Slice.of(value), pointer);
        if (done) {
            leaf.model.put(key, value);
        }
        return done;
    }

    private static void check(MemorySegment page, SortedMap<byte[], byte[]> model) {
        assertEquals(model.size(), Node.count(page));
        int index = 0;
        for (Map.Entry<byte[], byte[]> entry : model.entrySet()) {
            assertArrayEquals(entry.getKey(), Node.key(page, index));
            assertEquals(index, Node.find(page, entry.getKey()));
            assertArrayEquals(entry.getValue(), Node.payload(page, index));
            assertEquals(entry.getValue().length % 2 == 1, Node.isPointer(page, index));
            index++;
        }
        assertEquals(List.of(), PageCheck.faultsOf(page));
    }

    private static void checkAbsent(Leaf leaf, byte[] key) {
        if (!leaf.model.containsKey(key)) {
            int expected = leaf.model.headMap(key).size();
            assertEquals(-1 - expected, Node.find(leaf.page, key), KeyOrder.display(key));
        }
    }

    /** Keys that begin alike, end early, differ behind the head, and are full of zeros. */
    private static byte[] randomKey(SplittableRandom random, String prefix) {
        int length = random.nextInt(random.nextInt(8) == 0 ? 60 : 14);
        byte[] beginning = bytes(prefix);
        boolean begins = random.nextInt(20) != 0;
        byte[] key = new byte[(begins ? beginning.length : 0) + length];
        for (int i = 0; i < key.length; i++) {
            key[i] = begins && i < beginning.length
                    ? beginning[i]
                    : (byte) (random.nextInt(3) == 0 ? 0 : random.nextInt(4) * 85);
        }
        return key;
    }

    @Test
    void random_changes_of_one_leaf() {
        Seeds.each(1, 40, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            Leaf leaf = new Leaf(random.nextInt(1, 3));
            String prefix = "prefix-of-all/".substring(0, random.nextInt(15));
            int refused = 0;
            for (int i = 0; i < 1_500; i++) {
                byte[] key = randomKey(random, prefix);
                checkAbsent(leaf, key);
                if (random.nextInt(3) == 0 && !leaf.model.isEmpty()) {
                    byte[] gone = leaf.model.ceilingKey(key);
                    gone = gone == null ? leaf.model.firstKey() : gone;
                    NodeEditor.remove(leaf.page, Node.find(leaf.page, gone));
                    leaf.model.remove(gone);
                } else if (!put(leaf, key, new byte[random.nextInt(40)])) {
                    refused++;
                    if (random.nextInt(3) == 0) {
                        splitAndMerge(leaf, key);
                    }
                }
                if (i % 50 == 0) {
                    check(leaf.page, leaf.model);
                }
            }
            check(leaf.page, leaf.model);
            assertTrue(refused > 0, "the page was never full");
        });
    }

    private void splitAndMerge(Leaf leaf, byte[] key) {
        int index = -1 - Node.find(leaf.page, key);
        int at = NodeEditor.divideAt(leaf.page, index);
        assertTrue(at >= 1 && at <= Node.count(leaf.page));
        if (at == Node.count(leaf.page)) {
            return;
        }
        byte[] first = new ArrayList<>(leaf.model.keySet()).get(at);
        MemorySegment right = newPage((int) (leaf.page.byteSize() / PageFormat.UNIT_BYTES));
        NodeEditor.clear(right, 78, 0);
        editor.split(leaf.page, right, at);
        assertEquals(77, Node.id(leaf.page));
        assertEquals(78, Node.id(right));
        check(leaf.page, leaf.model.headMap(first));
        check(right, leaf.model.tailMap(first));
        byte[] separator = NodeEditor.separator(Node.key(leaf.page, at - 1), first);
        assertTrue(KeyOrder.compare(leaf.model.lowerKey(first), separator) < 0);
        assertTrue(KeyOrder.compare(separator, first) <= 0);
        if (!editor.merge(leaf.page, right)) {
            leaf.model.tailMap(first).clear();
        }
        check(leaf.page, leaf.model);
    }

    @Test
    void children_of_an_inner_page() {
        Seeds.each(1, 20, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            MemorySegment page = newPage(1);
            NodeEditor.clear(page, 5, 1);
            TreeMap<byte[], Long> model = new TreeMap<>(KeyOrder.COMPARATOR);
            model.put(new byte[0], 1L);
            assertTrue(editor.insertChild(page, 0, new byte[0], 1));
            for (int i = 0; i < 400; i++) {
                byte[] key = randomKey(random, "p/");
                long child = random.nextLong(1, PageFormat.MAX_PAGE_ID + 1);
                int found = Node.find(page, key);
                if (found >= 0) {
                    NodeEditor.setChild(page, found, child);
                    model.put(key, child);
                } else if (editor.insertChild(page, -1 - found, key, child)) {
                    model.put(key, child);
                } else if (model.size() > 3) {
                    byte[] gone = model.lastKey();
                    NodeEditor.remove(page, Node.find(page, gone));
                    model.remove(gone);
                }
                byte[] asked = randomKey(random, "p/");
                assertEquals(model.floorEntry(asked).getValue(), Node.childFor(page, asked));
            }
            assertEquals(1, Node.level(page));
            assertEquals(List.of(), PageCheck.faultsOf(page));
            MemorySegment right = newPage(1);
            NodeEditor.clear(right, 6, 1);
            int at = NodeEditor.divideAt(page, 1);
            byte[] first = Node.key(page, at);
            editor.split(page, right, at);
            for (Map.Entry<byte[], Long> entry : model.entrySet()) {
                boolean isLeft = KeyOrder.compare(entry.getKey(), first) < 0;
                assertEquals(entry.getValue(), Node.childFor(isLeft ? page : right, entry.getKey()));
            }
            assertEquals(1, Node.level(right));
        });
    }

    @Test
    void longest_keys_need_more_units() {
        byte[] key = new byte[65_535];
        Leaf small = new Leaf(16);
        assertFalse(put(small, key, new byte[100]));
        check(small.page, small.model);
        Leaf large = new Leaf(60);
        for (int i = 0; i < 3; i++) {
            byte[] other = key.clone();
            other[65_534] = (byte) i;
            assertTrue(put(large, other, new byte[100]));
        }
        check(large.page, large.model);
        MemorySegment copy = newPage(40);
        NodeEditor.clear(copy, 9, 0);
        NodeEditor.copyAll(copy, large.page);
        check(copy, large.model);
        assertEquals(9, Node.id(copy));
    }

    /** Of two leaves in a row one is full, and the other one has as much room as it may have. */
    @Test
    void leaves_in_a_row_share_what_they_have() {
        Seeds.each(1, 60, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            Leaf[] leaves = {new Leaf(1), new Leaf(1)};
            int full = random.nextInt(2);
            int others = random.nextInt(1, 40);
            while (put(leaves[full], keyOf(full, random), new byte[random.nextInt(40)])) {
                byte[] key = keyOf(1 - full, random);
                if (leaves[1 - full].model.size() < others) {
                    assertTrue(put(leaves[1 - full], key, new byte[random.nextInt(40)]));
                }
            }
            NodeEditor.setLsn(leaves[0].page, 11);
            NodeEditor.setLsn(leaves[1].page, 12);
            share(leaves[0], leaves[1]);
        });
    }

    private static byte[] keyOf(int leaf, SplittableRandom random) {
        byte[] key = randomKey(random, "x of two");
        byte[] result = Arrays.copyOf(key, Math.max(1, key.length));
        result[0] = (byte) leaf;
        return result;
    }

    private static void share(Leaf left, Leaf right) {
        TreeMap<byte[], byte[]> all = new TreeMap<>(left.model);
        all.putAll(right.model);
        int at = NodeBalancer.balanceAt(left.page, right.page);
        byte[] separator = NodeBalancer.separatorAt(left.page, right.page, at);
        int most = Math.max(at, all.size() - at);
        assertFalse(NodeBalancer.canMove(left.page, right.page, at, most - 1));
        check(left.page, left.model);
        check(right.page, right.model);
        assertTrue(NodeBalancer.canMove(left.page, right.page, at, most));
        new NodeBalancer().move(left.page, right.page, at);
        check(left.page, all.headMap(separator));
        check(right.page, all.tailMap(separator));
        assertEquals(11, Node.lsn(left.page));
        assertEquals(12, Node.lsn(right.page));
        int difference = NodeEditor.freeBytes(left.page) - NodeEditor.freeBytes(right.page);
        assertTrue(Math.abs(difference) < 600, difference + " bytes more are free");
    }

    @Test
    void another_key_leads_to_a_child_if_there_is_room() {
        MemorySegment page = newPage(1);
        NodeEditor.clear(page, 5, 1);
        assertTrue(editor.insertChild(page, 0, bytes("p/a"), 1));
        assertTrue(editor.insertChild(page, 1, bytes("p/c"), 2));
        assertTrue(NodeEditor.canReplaceKey(page, 1, bytes("p/b")));
        editor.replaceKey(page, 1, bytes("p/b"));
        assertEquals(2, Node.childFor(page, bytes("p/b")));
        assertEquals(1, Node.childFor(page, bytes("p/ab")));
        int room = NodeEditor.freeBytes(page) - 3 * Long.BYTES;
        assertTrue(NodeEditor.canReplaceKey(page, 1, Arrays.copyOf(bytes("p/b"), room)));
        assertFalse(NodeEditor.canReplaceKey(page, 1, Arrays.copyOf(bytes("p/b"), room + 2 * Long.BYTES)));
        byte[] long1 = Arrays.copyOf(bytes("p/b"), room);
        editor.replaceKey(page, 1, long1);
        assertEquals(2, Node.childFor(page, long1));
        assertEquals(1, Node.childFor(page, bytes("p/b")));
        assertEquals(List.of(), PageCheck.faultsOf(page));
    }

    @Test
    void the_key_of_the_first_child_is_lowered_where_a_smaller_one_follows() {
        MemorySegment page = newPage(1);
        NodeEditor.clear(page, 5, 1);
        assertTrue(editor.insertChild(page, 0, bytes("p/k"), 1));
        assertTrue(editor.insertChild(page, 1, bytes("p/m"), 2));
        assertTrue(editor.lowerFirstKey(page, bytes("p/l"), bytes("p/a")));
        assertArrayEquals(bytes("p/k"), Node.key(page, 0));
        assertFalse(editor.lowerFirstKey(page, bytes("p/k"), new byte[NodeEditor.freeBytes(page)]));
        assertArrayEquals(bytes("p/k"), Node.key(page, 0));
        assertTrue(editor.lowerFirstKey(page, bytes("p/k"), bytes("a")));
        assertArrayEquals(bytes("a"), Node.key(page, 0));
        assertTrue(editor.insertChild(page, 1, bytes("p/k"), 3));
        assertEquals(1, Node.childFor(page, bytes("p/j")));
        assertEquals(3, Node.childFor(page, bytes("p/l")));
        assertEquals(List.of(), PageCheck.faultsOf(page));
    }

    @Test
    void ascending_keys_leave_full_pages() {
        Leaf leaf = new Leaf(1);
        int count = 0;
        while (put(leaf, bytes(String.format(Locale.ROOT, "user-%08d", count)), new byte[8])) {
            count++;
        }
        assertEquals(count, NodeEditor.divideAt(leaf.page, count));
        assertTrue(NodeEditor.divideAt(leaf.page, 0) < count);
        assertTrue(NodeEditor.freeBytes(leaf.page) < 40);
    }

    @Test
    void what_is_asked_for_ahead_is_in_the_page_whatever_its_header_says() {
        MemorySegment page = newPage(1);
        int bytes = PageFormat.UNIT_BYTES;
        for (int start :
                new int[] {0, 1, 63, bytes - 65, bytes - 1, bytes, bytes + 1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE
                }) {
            page.fill((byte) 0);
            PageFormat.u32(page, PageFormat.HEAP_START, start);
            Node.touchHeap(page);
        }
        page.fill((byte) 0);
        PageFormat.u32(page, PageFormat.HEAP_START, bytes - 65);
        PageFormat.u32(page, bytes - 128, 2);
        PageFormat.u32(page, bytes - 64, 4);
        assertEquals(6, Node.touchHeap(page));
    }
}
