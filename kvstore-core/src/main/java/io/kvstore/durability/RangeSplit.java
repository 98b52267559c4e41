package io.kvstore.durability;

import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.TableEngine;
import io.kvstore.error.InvalidRequestException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Divides a range at keys that an engine proposes. Whatever these keys are, the pieces cover the range, each key once. */
final class RangeSplit {

    private static final int MOST_PARTS = 1_024;

    /** With this many keys to choose from for each piece, or half of them, pieces are hardly larger than others. */
    private static final int KEYS_PER_PART = 8;

    private RangeSplit() {}

    static List<KeyRange> of(KeyRange range, int parts, TableEngine engine) throws IOException {
        if (parts < 1 || parts > MOST_PARTS) {
            throw new InvalidRequestException("the range is to have " + parts + " parts; give 1 to " + MOST_PARTS);
        }
        if (range.limit() != Long.MAX_VALUE) {
            throw new InvalidRequestException("the range to split has the limit " + range.limit()
                    + ", which no part can keep; split it without a limit, and count what the parts give");
        }
        List<KeyRange> pieces = new ArrayList<>();
        KeyRange rest = range;
        for (byte[] key : parts == 1 ? List.<byte[]>of() : chosen(range, parts, engine)) {
            pieces.add(rest.to(key, false));
            rest = rest.from(key, true);
        }
        pieces.add(rest);
        return List.copyOf(range.reversed() ? pieces.reversed() : pieces);
    }

    /** Ascending keys of the range, at equal distances among those that the engine proposes, fewer than parts. */
    private static List<byte[]> chosen(KeyRange range, int parts, TableEngine engine) throws IOException {
        List<byte[]> known = new ArrayList<>();
        for (byte[] key : engine.separators(range, parts * KEYS_PER_PART)) {
            boolean isBehindFirst = known.isEmpty()
                    ? range.lower() == null || KeyOrder.compare(key, range.lower()) > 0
                    : KeyOrder.compare(key, known.getLast()) > 0;
            if (isBehindFirst && range.contains(key)) {
                known.add(key);
            }
        }
        List<byte[]> result = new ArrayList<>();
        int pieces = Math.min(parts, known.size() + 1);
        for (int i = 1; i < pieces; i++) {
            result.add(known.get((int) ((long) i * (known.size() + 1) / pieces) - 1));
        }
        return result;
    }
}
