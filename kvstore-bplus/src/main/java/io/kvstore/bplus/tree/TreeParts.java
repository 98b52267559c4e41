package io.kvstore.bplus.tree;

import io.kvstore.bplus.buffer.PageBuffer;
import io.kvstore.bplus.buffer.PageIds;
import io.kvstore.bplus.lock.RankedLock;
import io.kvstore.bplus.lock.TreeLocks;
import io.kvstore.value.ValueIndex;
import io.kvstore.value.ValueStore;

/**
 * The parts of a table that all work on its tree shares.
 *
 * @param ids the ids and places of all pages
 * @param versions the states that are kept
 * @param values the values that are kept apart from the tree
 * @param index knows some of these values
 */
public record TreeParts(
        PageBuffer buffer, PageIds ids, TreeVersions versions, ValueStore values, ValueIndex index, TreeLocks locks) {

    /** The lock of the thread that changes the tree or takes pages away. */
    public RankedLock writing() {
        return locks.writing();
    }

    /** The lock of the thread that changes the values that are kept apart, or the facts that are known of them. */
    public RankedLock putting() {
        return locks.putting();
    }
}
