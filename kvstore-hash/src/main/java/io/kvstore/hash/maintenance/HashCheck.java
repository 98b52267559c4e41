package io.kvstore.hash.maintenance;

import io.kvstore.engine.Findings;
import io.kvstore.error.CorruptionException;
import io.kvstore.hash.file.FirstLosses;
import io.kvstore.hash.index.PageCopy;
import io.kvstore.hash.table.Records;
import io.kvstore.hash.table.TableState;
import io.kvstore.value.append.StoredSegment;
import io.kvstore.value.segment.RecordSearch;
import io.kvstore.value.segment.ValuePointer;
import io.kvstore.value.segment.ValueRecord;
import io.kvstore.value.segment.ValueSegment;
import io.kvstore.value.segment.ValueSegmentList;
import io.kvstore.value.segment.ValueSegmentUse;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads every byte of a table and checks the rules of its structure: each entry leads to a sound record whose key has the hash
 * of the entry, no key has two entries, and each segment counts as many bytes as alive as entries lead to.
 */
public final class HashCheck {

    private final TableState state;
    private final Findings findings;

    /** A damaged record that an entry leads to is told of once. */
    private final LostParts told = new LostParts();

    public HashCheck(TableState state, Findings findings) {
        this.state = state;
        this.findings = findings;
    }

    public void run(Checkpoints checkpoints) throws IOException {
        checkpoints.verify(findings);
        Records records = state.records();
        if (!state.context().readOnly()) {
            records.values().log().write();
        }
        for (StoredSegment segment : records.values().log().segments()) {
            check(segment);
        }
        LiveCheck live = new LiveCheck(state);
        checkPages(live);
        live.report(findings);
    }

    private void check(StoredSegment segment) {
        Findings found = findings.ofPart();
        state.records().values().log().verify(List.of(segment), found);
        for (Findings.Finding one : found.kept()) {
            findings.report(one.file(), one.offset(), one.message());
            told.add(segment.number(), one.offset(), one.offset() + 1);
        }
    }

    /**
     * Looks at the entries of a damaged table. Damaged parts of its files were reported when it was opened. The seed of the
     * hashes may be lost.
     *
     * @param unread segments of which not every byte was read then
     */
    public void runOverRest(ValueSegmentList unread) throws IOException {
        FirstLosses named = new FirstLosses(findings);
        for (ValueSegmentUse use : unread.segments()) {
            search(use, named);
        }
        named.sumUp(state.context().directory(), "parts of value segments cannot be read");
        checkPages(new LiveCheck(state));
    }

    private void search(ValueSegmentUse use, FirstLosses named) throws IOException {
        StoredSegment segment = state.records().values().log().segment(use.number());
        ValueSegment file = segment == null ? null : segment.file();
        if (segment == null || file == null) {
            return; // which was reported when the table was opened
        }
        long bytes = Math.min(use.info().bytes(), segment.end());
        new RecordSearch(file.target(), use.number(), bytes, state.context().fileTag())
                .run((pointer, key, lsn, value) -> {}, (from, to, wasSearched) -> {
                    String message =
                            (to - from) + " bytes cannot be read" + (wasSearched ? "" : ", and were not searched");
                    if (named.report(file.path(), from, to - from, message)) {
                        told.add(use.number(), from, to);
                    }
                });
    }

    private void checkPages(LiveCheck live) throws IOException {
        PageCopy page = new PageCopy();
        long prefix = 0;
        while (prefix != PageCopy.END) {
            long from = prefix;
            state.settled(() -> {
                state.directory().copy(from, page);
                return null;
            });
            checkPage(page, live);
            prefix = page.next();
        }
    }

    private void checkPage(PageCopy page, LiveCheck live) throws IOException {
        Map<Long, byte[]> keys = new HashMap<>();
        for (int i = 0; i < page.count(); i++) {
            findings.requireGoing();
            long place = page.place(i);
            try {
                ValueRecord record = state.records().record(place);
                if (record == null) {
                    checkHasGone(page.hash(i), place);
                    continue;
                }
                live.add(place, ValuePointer.recordBytes(record.key().length, record.value().length));
                if (record.lsn() > state.appliedLsn()) {
                    report(place, "a record has lsn " + record.lsn() + ", and the table ends at " + state.appliedLsn());
                }
                if (state.hash().mayBeOf(page.hash(i), record.key())) {
                    keys.put(place, record.key());
                } else {
                    findings.report(state.records().ofOtherKey(place));
                }
            } catch (CorruptionException e) {
                live.addUnreadable(place);
                if (!isTold(place)) {
                    findings.report(e.file(), e.offset(), String.valueOf(e.getMessage()));
                }
            } catch (IOException e) {
                live.addUnreadable(place);
                if (!isTold(place)) {
                    report(place, "cannot be read: " + e);
                }
            }
        }
        checkDistinct(page, keys);
    }

    private boolean isTold(long place) {
        return told.has(state.records().segment(place), state.records().offsetOf(place));
    }

    /** A record that is not there was moved meanwhile, and then its entry leads elsewhere. */
    private void checkHasGone(long hash, long place) throws IOException {
        if (state.settled(() -> state.directory().contains(hash, place))) {
            report(place, "an entry leads to a segment that is not there");
        }
    }

    /** Only entries that begin alike and have the same tag can be of one key. */
    private void checkDistinct(PageCopy page, Map<Long, byte[]> keys) {
        for (int i = 1; i < page.count(); i++) {
            for (int other = i - 1; other >= 0 && page.hash(other) >>> 32 == page.hash(i) >>> 32; other--) {
                byte[] key = keys.get(page.place(i));
                if (key != null && Arrays.equals(key, keys.get(page.place(other)))) {
                    report(page.place(i), "a key has two entries");
                }
            }
        }
    }

    private void report(long place, String message) {
        findings.report(state.records().path(place), state.records().offsetOf(place), message);
    }
}
