package io.kvstore.bplus.page;

import static io.kvstore.bplus.page.PageFormat.u16;

import io.kvstore.bplus.page.NodeEditor.Part;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Moves entries between two neighbouring pages, so that a full page need not be split: the overflow of R. Bayer and E.
 * McCreight, "Organization and Maintenance of Large Ordered Indexes", 1972. For one thread at a time. Readers may read
 * meanwhile, see {@link Node}.
 */
public final class NodeBalancer {

    private MemorySegment leftScratch = NodeEditor.newScratch(PageFormat.UNIT_BYTES);
    private MemorySegment rightScratch = NodeEditor.newScratch(PageFormat.UNIT_BYTES);

    /** How many entries the left page has when both pages have about the same room. */
    public static int balanceAt(MemorySegment left, MemorySegment right) {
        boolean toRight = NodeEditor.freeBytes(left) < NodeEditor.freeBytes(right);
        MemorySegment from = toRight ? left : right;
        int count = Node.count(from);
        int prefix = u16(from, PageFormat.PREFIX_LENGTH);
        int surplus = Math.abs(NodeEditor.freeBytes(left) - NodeEditor.freeBytes(right)) / 2;
        int moved = 0;
        while (moved < count - 1 && surplus > 0) {
            int at = toRight ? count - 1 - moved : moved;
            surplus -= NodeEditor.bytesFor(from, at, at + 1, prefix);
            moved++;
        }
        return Node.count(left) + (toRight ? -moved : moved);
    }

    /** The shortest key that leads to the right page if the left page has {@code at} of the entries. */
    public static byte[] separatorAt(MemorySegment left, MemorySegment right, int at) {
        return NodeEditor.separator(keyAt(left, right, at - 1), keyAt(left, right, at));
    }

    private static byte[] keyAt(MemorySegment left, MemorySegment right, int at) {
        int count = Node.count(left);
        return at < count ? Node.key(left, at) : Node.key(right, at - count);
    }

    /** The entries of each page if the left page has {@code at} of them. */
    private record Halves(List<Part> left, List<Part> right) {

        static Halves of(MemorySegment left, MemorySegment right, int at) {
            int count = Node.count(left);
            if (at < count) {
                return new Halves(List.of(new Part(left, 0, at)), List.of(new Part(left, at, count), Part.all(right)));
            }
            int more = at - count;
            return new Halves(
                    List.of(Part.all(left), new Part(right, 0, more)),
                    List.of(new Part(right, more, Node.count(right))));
        }
    }

    /** Whether both pages have room, and at most {@code mostEntries}, if the left page has {@code at} of the entries. */
    public static boolean canMove(MemorySegment left, MemorySegment right, int at, int mostEntries) {
        Halves halves = Halves.of(left, right, at);
        return Math.max(at, Node.count(left) + Node.count(right) - at) <= mostEntries
                && NodeEditor.fits(left, NodeEditor.commonPrefix(halves.left), halves.left)
                && NodeEditor.fits(right, NodeEditor.commonPrefix(halves.right), halves.right);
    }

    /** Gives the left page {@code at} of the entries, and the right page the others. {@link #canMove} has allowed it. */
    public void move(MemorySegment left, MemorySegment right, int at) {
        leftScratch = NodeEditor.larger(leftScratch, left);
        rightScratch = NodeEditor.larger(rightScratch, right);
        long rightLsn = Node.lsn(right);
        Halves halves = Halves.of(NodeEditor.copy(left, leftScratch), NodeEditor.copy(right, rightScratch), at);
        NodeEditor.build(left, Node.id(left), NodeEditor.commonPrefix(halves.left), halves.left);
        NodeEditor.build(right, Node.id(right), NodeEditor.commonPrefix(halves.right), halves.right);
        NodeEditor.setLsn(right, rightLsn);
    }
}
