package io.kvstore.wal;

import java.util.ArrayList;
import java.util.List;

/** Damaged places of the log that nobody needs, and so are passed over: by link of the chain, in the order of the log. */
final class Gaps {

    private final List<Gap> gaps = new ArrayList<>();
    private final List<String> descriptions = new ArrayList<>();

    private record Gap(int link, long from, long to) {}

    /** A part of a link without a gap. */
    record Span(long from, long to) {}

    void add(int link, String path, Span span) {
        gaps.add(new Gap(link, span.from, span.to));
        descriptions.add(path + " at offset " + span.from
                + ": a record is damaged that every table holds in its own files; passed over");
    }

    /** What each of them is, for people. */
    List<String> descriptions() {
        return List.copyOf(descriptions);
    }

    /** What lies between the gaps of a part of a link. */
    List<Span> around(int link, long from, long to) {
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
