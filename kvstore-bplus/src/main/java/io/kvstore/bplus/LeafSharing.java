package io.kvstore.bplus;

import io.kvstore.bplus.page.Node;
import io.kvstore.bplus.page.NodeBalancer;
import io.kvstore.bplus.page.NodeEditor;
import java.lang.foreign.MemorySegment;

/** Moves entries between neighbouring leaves; a part of {@link TreeEditor}. */
final class LeafSharing {

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
     * Shares the entries of a leaf with a neighbour, so that both are equally full; the page above is to be stamped then.
     *
     * @param roomy so many bytes the neighbour must have free
     */
    boolean share(TreePath path, int depth, int neighbour, long roomy) {
        int index = path.index(depth - 1);
        Page page = path.page(depth);
        Page parent = path.page(depth - 1);
        boolean exists = neighbour >= 0 && neighbour < Node.count(parent.bytes());
        Page old = exists ? pages.find(Node.child(parent.bytes(), neighbour)) : null;
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
