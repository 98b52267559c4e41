package io.kvstore.testkit;

import java.util.HashMap;
import java.util.Map;

/** Copies a storage as the end of the process that uses it leaves it: no handles, but all that was written. */
final class SimKill {

    private final SimStorage before;
    private final SimDirectory root = new SimDirectory();
    private final SimEntries changes = new SimEntries();
    private final SimStorage after;
    private final Map<SimNode, SimNode> copies = new HashMap<>();

    SimKill(SimStorage before) {
        this.before = before;
        this.after = new SimStorage(root, changes, before.order());
    }

    SimStorage result() {
        copies.put(before.root(), root);
        fill(before.root(), root);
        for (SimEntries.Change change : before.changes().pending()) {
            copy(change.node());
            change.unsynced().forEach(this::copy);
            if (change.from() != null) {
                copy(change.from().directory());
            }
            if (change.to() != null) {
                copy(change.to().directory());
            }
        }
        before.changes().copyTo(changes, copies);
        count(root);
        return after;
    }

    private SimNode copy(SimNode node) {
        SimNode known = copies.get(node);
        if (known != null) {
            return known;
        }
        return switch (node) {
            case SimInode inode -> remember(node, inode.copyTo(after));
            case SimDirectory directory -> {
                SimDirectory copy = new SimDirectory();
                remember(node, copy);
                fill(directory, copy);
                yield copy;
            }
        };
    }

    private SimNode remember(SimNode node, SimNode copy) {
        copies.put(node, copy);
        return copy;
    }

    private void fill(SimDirectory from, SimDirectory to) {
        from.entries.forEach((name, node) -> to.entries.put(name, copy(node)));
        from.durable.forEach((name, node) -> to.durable.put(name, copy(node)));
    }

    private void count(SimDirectory directory) {
        directory.entries.values().forEach(node -> {
            switch (node) {
                case SimInode inode -> {
                    inode.refer();
                    after.used(inode.size());
                }
                case SimDirectory below -> count(below);
            }
        });
    }
}
