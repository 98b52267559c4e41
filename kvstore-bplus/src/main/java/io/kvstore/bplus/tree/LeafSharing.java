package io.kvstore.bplus.tree;

import io.kvstore.bplus.buffer.Page;
import io.kvstore.bplus.page.Node;
import io.kvstore.bplus.page.NodeBalancer;
import io.kvstore.bplus.page.NodeEditor;
import java.lang.foreign.MemorySegment;

/** Moves entries between neighbouring leaves. A part of {@link TreeEditor}. */
final class LeafSharing {

    /** A neighbour takes entries of a full leaf if at least this part of its bytes is free. */
    private static final int ROOMY_PART = 4;

    private final TreePages pages;
    private final NodeEditor editor;
    private final NodeBalancer balancer = new NodeBalancer();
    private final int order;

    LeafSharing(TreePages pages, NodeEditor editor, int order) {
        this.pages = pages;
        this.editor = editor;
        this.order = order;
    }

    /**
     * Called before a leaf is split for some bytes. If a neighbour is in memory and has room, it takes entries of the leaf, so
     * that both are equally full. With that, leaves are four fifths full instead of two thirds. The caller then stamps the page
     * above. Returns whether a neighbour took entries.
     */
    boolean share(TreePath path, int depth, int bytes) {
        Page page = path.page(depth);
        int count = Node.count(page.bytes());
        if (Node.level(page.bytes()) > 0 || count >= order || path.index(depth) == count) {
            return false; // ascending keys leave full pages behind without sharing
        }
        int index = path.index(depth - 1);
        long roomy = Math.max(page.bytes().byteSize() / ROOMY_PART, 2L * bytes);
        return share(path, depth, index + 1, roomy) || share(path, depth, index - 1, roomy);
    }

    private boolean share(TreePath path, int depth, int neighbour, long roomy) {
        int index = path.index(depth - 1);
        Page page = path.page(depth);
        Page parent = path.page(depth - 1);
        boolean exists = neighbour >= 0 && neighbour < Node.count(parent.bytes());
        Page old = exists ? pages.find(Node.child(parent.bytes(), neighbour), 0) : null;
        if (old == null || NodeEditor.freeBytes(old.bytes()) < roomy) {
            return false;
        }
        MemorySegment left = (neighbour < index ? old : page).bytes();
        MemorySegment right = (neighbour < index ? page : old).bytes();
        int at = NodeBalancer.balanceAt(left, right);
        byte[] separator = NodeBalancer.separatorAt(left, right, at);
        int changed = Math.max(index, neighbour);
        if (!NodeEditor.canReplaceKey(parent.bytes(), changed, separator)
                || !NodeBalancer.canMove(left, right, at, order)) {
            return false;
        }
        Page other = pages.isCurrent(old) ? old : pages.copyOf(old);
        pages.change(parent);
        pages.change(other);
        long newest = Math.max(Node.lsn(other.bytes()), Node.lsn(page.bytes()));
        balancer.move((neighbour < index ? other : page).bytes(), (neighbour < index ? page : other).bytes(), at);
        NodeEditor.setLsn(other.bytes(), newest);
        if (other != old) {
            NodeEditor.setChild(parent.bytes(), neighbour, other.id());
            pages.retire(old);
        }
        editor.replaceKey(parent.bytes(), changed, separator);
        return true;
    }
}
