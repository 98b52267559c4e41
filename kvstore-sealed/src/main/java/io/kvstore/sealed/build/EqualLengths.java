package io.kvstore.sealed.build;

import io.kvstore.error.InvalidRequestException;
import io.kvstore.sealed.format.PointFormat;
import org.jspecify.annotations.Nullable;

/** The lengths of keys and values of the layout POINT, which the first entry says. */
final class EqualLengths {

    private static final String REMEDY = "; take the layout PERFECT or LINES, which have entries of any lengths";

    private final long mostEntries;
    private @Nullable PointFormat format;

    /** @param mostEntries that a file has */
    EqualLengths(long mostEntries) {
        this.mostEntries = mostEntries;
    }

    /** @throws InvalidRequestException if an entry, before which there are others, cannot be in the file */
    void require(byte[] key, byte[] value, long entriesBefore) {
        PointFormat first = format;
        if (first == null) {
            if (key.length + (long) value.length > PointFormat.MOST_ENTRY_BYTES) {
                throw new InvalidRequestException("entry 0 has a key of " + key.length + " bytes and a value of "
                        + value.length + ", and the layout POINT has at most " + PointFormat.MOST_ENTRY_BYTES
                        + " for both" + REMEDY);
            }
            format = new PointFormat(key.length, value.length);
        } else if (key.length != first.keyBytes() || value.length != first.valueBytes()) {
            throw new InvalidRequestException("entry " + entriesBefore + " has a key of " + key.length
                    + " bytes and a value of " + value.length + ", and those before it have " + first.keyBytes()
                    + " and " + first.valueBytes() + ", which the layout POINT has for all" + REMEDY);
        }
        if (entriesBefore >= mostEntries) {
            throw new InvalidRequestException("the layout POINT has at most " + mostEntries + " entries" + REMEDY);
        }
    }
}
