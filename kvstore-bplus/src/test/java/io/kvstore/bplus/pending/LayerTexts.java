package io.kvstore.bplus.pending;

import io.kvstore.bplus.change.SortedChanges;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** The layers of a change buffer, for people. */
public final class LayerTexts {

    private static final int MANY = 8;

    private LayerTexts() {}

    private record Change(long lsn, String key, boolean isRemoval) {
        @Override
        public String toString() {
            return lsn + (isRemoval ? " remove " : " put ") + key;
        }
    }

    /** A line for each layer, the newest one first, with its changes in the order of their lsns. */
    public static List<String> of(ChangeBuffer changes) {
        return changes.upTo(Long.MAX_VALUE).stream().map(LayerTexts::of).toList();
    }

    private static String of(ChangeLayer layer) {
        List<Change> all = new ArrayList<>();
        for (SortedChanges run : layer.runs()) {
            for (int i = 0; i < run.size(); i++) {
                boolean isRemoval = run.value(i) == null && run.pointer(i) == null;
                all.add(new Change(run.lsn(i), new String(run.key(i), StandardCharsets.US_ASCII), isRemoval));
            }
        }
        all.sort(Comparator.comparingLong(Change::lsn).thenComparing(Change::key));
        String text = all.size() <= MANY
                ? all.stream().map(Change::toString).collect(Collectors.joining(", "))
                : all.size() + " changes, " + all.getFirst() + " to " + all.getLast();
        return "layer: " + text;
    }
}
