package io.kvstore.wal.segment;

import java.util.ArrayList;
import java.util.List;

/**
 * Damaged ranges of the log that are passed over because no table needs their records. Each belongs to a link of the chain;
 * they are kept in the order of the log.
 */
public final class Gaps {

    private final List<Gap> gaps = new ArrayList<>();
    private final List<String> descriptions = new ArrayList<>();

    private record Gap(int link, long from, long to) {}

    /** A range of offsets in a link, from {@code from} to before {@code to}. */
    public record Span(long from, long to) {}

    public void add(int link, String path, Span span) {
        gaps.add(new Gap(link, span.from, span.to));
        descriptions.add(path + " at offset " + span.from
                + ": a record is damaged that every table holds in its own files; passed over");
    }

    public List<String> descriptions() {
        return List.copyOf(descriptions);
    }

    /** The ranges without a gap between two offsets of a link. */
    public List<Span> around(int link, long from, long to) {
        List<Span> spans = new ArrayList<>();
        long at = from;
        for (Gap gap : gaps) {
            if (gap.link == link && gap.to > at && gap.from < to) {
                if (gap.from > at) {
                    spans.add(new Span(at, gap.from));
                }
                at = gap.to;
            }
        }
        if (at < to) {
            spans.add(new Span(at, to));
        }
        return spans;
    }
}
