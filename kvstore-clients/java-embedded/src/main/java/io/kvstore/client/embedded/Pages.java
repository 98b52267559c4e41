package io.kvstore.client.embedded;

import io.kvstore.Cursor;
import io.kvstore.Table;
import io.kvstore.client.ClientEntry;
import io.kvstore.client.EntryPage;
import io.kvstore.client.ScanOptions;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.data.KeyRange;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Reads the pages of a scan, with the limits of a server. */
final class Pages {

    private static final int ENTRIES_DEFAULT = 1_000;
    private static final int ENTRIES_MAX = 100_000;
    private static final int BYTES_DEFAULT = 1 << 20;

    private Pages() {}

    static EntryPage read(Table table, ScanOptions options, Function<KeyRange, Cursor> source) {
        if (options.pageEntries() > ENTRIES_MAX) {
            throw Failures.rejected(
                    ErrorCode.INVALID_REQUEST,
                    "pageEntries is " + options.pageEntries() + "; give 1 to " + ENTRIES_MAX);
        }
        KeyRange range = Requests.range(options.range());
        range = options.reversed() ? range.reverse() : range;
        range = options.keysOnly() ? range.withoutValues() : range;
        byte[] continuation = options.continuation();
        int tableId = table.id();
        KeyRange rest = continuation == null ? range : Continuation.rest(continuation, table, range);
        int page = options.pageEntries() == 0 ? ENTRIES_DEFAULT : options.pageEntries();
        int maxEntries = (int) Math.min(page, options.limit());
        long maxBytes = options.pageBytes() == 0 ? BYTES_DEFAULT : options.pageBytes();
        List<ClientEntry> entries = new ArrayList<>();
        long bytes = 0;
        try (Cursor cursor = source.apply(rest.limit(maxEntries + 1L))) {
            if (continuation != null && tableId != table.id()) {
                throw Continuation.dropped(table.name()); // else the cursor would go on among other entries
            }
            while (cursor.next()) {
                ClientEntry entry = entry(cursor, options);
                byte[] value = entry.value();
                bytes += entry.key().length + (value == null ? 0 : value.length);
                if (!entries.isEmpty() && (entries.size() == maxEntries || bytes > maxBytes)) {
                    return new EntryPage(
                            entries,
                            Continuation.after(tableId, range, entries.getLast().key()));
                }
                entries.add(entry);
            }
        }
        return new EntryPage(entries, null);
    }

    private static ClientEntry entry(Cursor cursor, ScanOptions options) {
        if (options.keysOnly()) {
            return new ClientEntry(cursor.key(), null, -1);
        }
        byte[] value = cursor.value();
        boolean fits = options.maxValueBytes() < 0 || value.length <= options.maxValueBytes();
        return new ClientEntry(cursor.key(), fits ? value : null, fits ? -1 : value.length);
    }
}
