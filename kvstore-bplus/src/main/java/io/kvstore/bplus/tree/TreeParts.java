package io.kvstore.bplus.tree;

import io.kvstore.bplus.buffer.PageBuffer;
import io.kvstore.bplus.buffer.PageIds;
import io.kvstore.value.HashIndex;
import io.kvstore.value.ValueStore;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What the work on a tree shares.
 *
 * @param buffer the pages in memory
 * @param ids the pages there are
 * @param versions the states that are kept
 * @param values what is kept apart from the tree
 * @param index where some of that is
 * @param writing the lock of the one who changes the tree or takes pages away
 * @param putting the lock of the one who changes what is kept apart, or what is known of it; taken last
 */
public record TreeParts(
        PageBuffer buffer,
        PageIds ids,
        TreeVersions versions,
        ValueStore values,
        HashIndex index,
        ReentrantLock writing,
        ReentrantLock putting) {}
