package io.kvstore.testkit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Builds the storage that a power loss leaves: durable state first, then the pending changes that the choice keeps. */
final class SimCrash {

    private final SimStorage before;
    private final SimStorage after;
    private final CrashChoice.Picker picker;
    private final Map<SimDirectory, NavigableMap<String, SimNode>> entries = new HashMap<>();
    private final Map<SimInode, SimInode.Image> images = new HashMap<>();

    /** A pending change of a file or of directory entries. */
    private sealed interface Step {
        long order();
    }

    private record FileStep(SimInode inode, SimInode.Pending change) implements Step {
        @Override
        public long order() {
            return change.order();
        }
    }

    private record EntryStep(SimEntries.Change change) implements Step {
        @Override
        public long order() {
            return change.order();
        }
    }

    SimCrash(SimStorage before, CrashChoice choice) {
        this.before = before;
        this.picker = new CrashChoice.Picker(choice);
        this.after = new SimStorage();
    }

    /** The orders of all pending changes, ascending. */
    static List<Long> pending(SimStorage storage) {
        return new SimCrash(storage, new CrashChoice.DropAll())
                .steps().stream().map(Step::order).toList();
    }

    SimStorage result() {
        int index = 0;
        for (Step step : steps()) {
            switch (step) {
                case FileStep(SimInode inode, SimInode.Pending change) ->
                    image(inode).decide(change, index, picker);
                case EntryStep(SimEntries.Change change) -> {
                    if (picker.keeps(index)) {
                        change.applyTo(this::entriesOf);
                    }
                }
            }
            index++;
        }
        fill(after.root(), entriesOf(before.root()), new HashMap<>());
        return after;
    }

    private void fill(SimDirectory target, NavigableMap<String, SimNode> source, Map<SimNode, SimNode> made) {
        source.forEach((name, node) -> {
            SimNode copy = made.get(node);
            if (copy == null) {
                switch (node) {
                    case SimInode inode -> {
                        SimInode left = image(inode).inode();
                        left.refer();
                        after.used(left.size());
                        copy = left;
                    }
                    case SimDirectory directory -> {
                        SimDirectory left = new SimDirectory();
                        fill(left, entriesOf(directory), made);
                        copy = left;
                    }
                }
                made.put(node, copy);
            }
            target.entries.put(name, copy);
            target.durable.put(name, copy);
        });
    }

    private List<Step> steps() {
        List<Step> steps = new ArrayList<>();
        Map<SimNode, Boolean> seen = new HashMap<>();
        collect(before.root(), seen, steps);
        for (SimEntries.Change change : before.changes().pending()) {
            steps.add(new EntryStep(change));
            collect(change.node(), seen, steps);
        }
        steps.sort(Comparator.comparingLong(Step::order));
        return steps;
    }

    private static void collect(SimNode node, Map<SimNode, Boolean> seen, List<Step> steps) {
        if (seen.put(node, true) != null) {
            return;
        }
        switch (node) {
            case SimInode inode -> inode.pending().forEach(change -> steps.add(new FileStep(inode, change)));
            case SimDirectory directory -> {
                directory.entries.values().forEach(below -> collect(below, seen, steps));
                directory.durable.values().forEach(below -> collect(below, seen, steps));
            }
        }
    }

    private NavigableMap<String, SimNode> entriesOf(SimDirectory directory) {
        return entries.computeIfAbsent(directory, any -> new TreeMap<>(any.durable));
    }

    private SimInode.Image image(SimInode inode) {
        return images.computeIfAbsent(inode, any -> any.image(after));
    }
}
