package io.kvstore.bplus.tree;

import io.kvstore.bplus.buffer.PageBuffer;
import io.kvstore.bplus.buffer.PageIds;
import io.kvstore.value.ValueStore;
import io.kvstore.value.index.HashIndex;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The parts of a table that all work on its tree shares.
 *
 * @param buffer the pages in memory
 * @param ids the ids and places of all pages
 * @param versions the states that are kept
 * @param values the values that are kept apart from the tree
 * @param index the places of some of these values
 * @param writing the lock of the thread that changes the tree or takes pages away
 * @param putting the lock of the thread that changes the values that are kept apart, or the facts that are known of them; taken
 *     last
 */
public record TreeParts(
        PageBuffer buffer,
        PageIds ids,
        TreeVersions versions,
        ValueStore values,
        HashIndex index,
        ReentrantLock writing,
        ReentrantLock putting) {}
