package io.kvstore.bplus;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvstore.bplus.buffer.Page;
import io.kvstore.bplus.page.Node;
import io.kvstore.bplus.page.NodeEditor;
import io.kvstore.bplus.tree.TreeCheck;
import io.kvstore.engine.Findings;
import io.kvstore.value.segment.ValueSegmentList;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.IntStream;

/** The pages of a tree, for people. Keys are printed as letters. */
final class TreeTexts {

    private static final int MANY = 8;
    private static final long PERCENT = 100;

    /** Pages that the order keeps small all have about the same bytes. */
    private static final long WORTH_TELLING = 10;

    private final TestTree table;

    TreeTexts(TestTree table) {
        this.table = table;
    }

    /** The keys that {@code a}, {@code k01..k30} or {@code k01..k30/2} stand for; the last one is every second. */
    static List<String> keys(String word) {
        String[] range = word.split("\\.\\.|/", -1);
        if (range.length == 1) {
            return List.of(word);
        }
        int digits = range[0].length() - range[0].replaceAll("\\d", "").length();
        String name = range[0].substring(0, range[0].length() - digits);
        int step = range.length > 2 ? Integer.parseInt(range[2]) : 1;
        int last = number(range[1], name);
        return IntStream.iterate(number(range[0], name), number -> number <= last, number -> number + step)
                .mapToObj(number -> String.format(Locale.ROOT, name + "%0" + digits + "d", number))
                .toList();
    }

    private static int number(String key, String name) {
        return Integer.parseInt(key.substring(name.length()));
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    /** The pages of the newest state, the root first, a page above its children. */
    String pages() {
        List<String> lines = new ArrayList<>();
        if (table.tree().root() != 0) {
            addPage(table.tree().root(), "", lines);
        }
        return lines.isEmpty() ? "empty" : String.join("\n", lines);
    }

    private void addPage(long id, String indent, List<String> lines) {
        MemorySegment page = pageOf(id).bytes();
        long fill = PERCENT - PERCENT * NodeEditor.freeBytes(page) / page.byteSize();
        int count = Node.count(page);
        boolean isLeaf = Node.level(page) == 0;
        List<String> entries = IntStream.range(0, count)
                .mapToObj(i -> isLeaf ? text(Node.key(page, i)) : text(Node.key(page, i)) + ">" + Node.child(page, i))
                .toList();
        lines.add(String.format(
                Locale.ROOT,
                "%s%d lsn %d%s: %s",
                indent,
                id,
                Node.lsn(page),
                fill < WORTH_TELLING ? "" : ", " + fill + "% full",
                count <= MANY
                        ? String.join(" ", entries)
                        : entries.getFirst() + " to " + entries.getLast() + ", " + count));
        for (int i = 0; !isLeaf && i < count; i++) {
            addPage(Node.child(page, i), indent + "  ", lines);
        }
    }

    /** The keys and values of a state. Values that are kept apart or long are printed as their bytes or length. */
    String entries(long rootId) {
        List<String> entries = new ArrayList<>();
        if (rootId != 0) {
            addEntries(rootId, entries);
        }
        return entries.size() <= MANY
                ? String.join(" ", entries)
                : entries.getFirst() + " to " + entries.getLast() + ", " + entries.size();
    }

    private void addEntries(long id, List<String> entries) {
        MemorySegment page = pageOf(id).bytes();
        for (int i = 0; i < Node.count(page); i++) {
            if (Node.level(page) > 0) {
                addEntries(Node.child(page, i), entries);
            } else {
                boolean isApart = Node.isPointer(page, i);
                entries.add(text(Node.key(page, i)) + "=" + (isApart ? "apart" : shown(Node.payload(page, i))));
            }
        }
    }

    /** A short value as its letters, a longer one as its length. */
    static String shown(byte[] value) {
        return value.length <= MANY ? text(value) : "(" + value.length + ")";
    }

    private Page pageOf(long id) {
        return Objects.requireNonNull(table.parts().buffer().get(id), () -> "page " + id + " is not in memory");
    }

    /** Fails if the pages of the newest state contradict each other. Looks at that state, so it is not changed any more. */
    void check() throws IOException {
        Findings findings = new Findings();
        new TreeCheck(table.parts(), ValueSegmentList.EMPTY, findings).run();
        assertEquals(List.of(), findings.kept(), "the tree is not whole");
    }
}
