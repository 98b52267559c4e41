package io.kvstore.bplus.tree;

import io.kvstore.bplus.buffer.Page;
import io.kvstore.bplus.buffer.PageBuffer;
import io.kvstore.bplus.buffer.PageIds;
import io.kvstore.bplus.page.Node;
import io.kvstore.bplus.page.PageCheck;
import io.kvstore.bytes.ByteReader;
import io.kvstore.data.KeyOrder;
import io.kvstore.engine.Findings;
import io.kvstore.error.CorruptionException;
import io.kvstore.value.ValueStore;
import io.kvstore.value.segment.ValuePointer;
import io.kvstore.value.segment.ValueSegmentList;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Walks the newest state from its root. Checks every page, and whether the pages agree with each other. */
public final class TreeCheck {

    private final PageBuffer buffer;
    private final PageIds ids;
    private final ValueStore values;
    private final TreeVersions.Look look;
    private final ValueSegmentList segments;
    private final String file;
    private final Findings findings;
    private final BitSet met = new BitSet();
    private final Map<Long, Long> live = new HashMap<>();
    private long entries;

    /** @param segments the counts of the value segments in the newest state; no thread removes these segments */
    public TreeCheck(TreeParts parts, ValueSegmentList segments, Findings findings) {
        this.buffer = parts.buffer();
        this.ids = parts.ids();
        this.values = parts.values();
        this.look = parts.versions().look();
        this.segments = segments;
        this.file = buffer.file();
        this.findings = findings;
    }

    public void run() throws IOException {
        try (look) {
            TreeVersions.State state = look.state();
            if (state.rootId() != 0) {
                check(state.rootId(), -1, null, null);
            }
            if (entries != state.entries()) {
                report("has " + entries + " keys; it should have " + state.entries());
            }
            checkLive();
        }
    }

    private void check(long id, int level, byte @Nullable [] lower, byte @Nullable [] upper) throws IOException {
        findings.requireGoing();
        MemorySegment page = copy(id);
        if (page == null) {
            return;
        }
        for (String fault : PageCheck.faultsOf(page)) {
            report("page " + id + ": " + fault);
        }
        if (Node.id(page) != id || (level >= 0 && Node.level(page) != level)) {
            report("page " + id + " says that it is page " + Node.id(page) + " of level " + Node.level(page));
            return;
        }
        boolean isLeaf = Node.level(page) == 0;
        for (int i = 0; i < Node.count(page); i++) {
            byte[] key = Node.key(page, i);
            checkBounds(id, key, isLeaf || i > 0 ? lower : null, upper);
            if (isLeaf) {
                entries++;
                countValue(page, i, key);
            } else {
                byte[] next = i + 1 < Node.count(page) ? Node.key(page, i + 1) : upper;
                check(Node.child(page, i), Node.level(page) - 1, i == 0 ? lower : key, next);
            }
        }
    }

    private @Nullable MemorySegment copy(long id) throws IOException {
        if (id >= ids.next()) {
            report("page " + id + " is not there");
            return null;
        }
        if (met.get((int) id)) {
            report("page " + id + " is met twice");
            return null;
        }
        met.set((int) id);
        try {
            for (Page page = buffer.load(id); page != null; page = buffer.load(id)) {
                long version = page.beginRead();
                MemorySegment copy = page.copy();
                if (version != Page.GONE && page.isUnchanged(version)) {
                    return copy;
                }
            }
            report("page " + id + " is not there");
        } catch (CorruptionException e) {
            findings.report(e.file(), e.offset(), String.valueOf(e.getMessage()));
        }
        return null;
    }

    private void checkBounds(long id, byte[] key, byte @Nullable [] lower, byte @Nullable [] upper) {
        boolean isOutside = (lower != null && KeyOrder.compare(key, lower) < 0)
                || (upper != null && KeyOrder.compare(key, upper) >= 0);
        if (isOutside) {
            report("page " + id + " has " + KeyOrder.display(key) + ", which belongs into another one");
        }
    }

    private void countValue(MemorySegment page, int index, byte[] key) throws IOException {
        if (!Node.isPointer(page, index)) {
            return;
        }
        findings.requireGoing(); // each value is read
        try {
            ValuePointer pointer = ValuePointer.read(new ByteReader(file, Node.payload(page, index)));
            live.merge(pointer.segment(), pointer.recordBytes(key.length), Long::sum);
            byte[] value = values.log().read(pointer, key);
            if (value == null) {
                report(pointer + " leads to a segment that is not there");
            }
        } catch (CorruptionException e) {
            findings.report(e.file(), e.offset(), String.valueOf(e.getMessage()));
        }
    }

    private void checkLive() {
        Map<Long, Long> wanted = new HashMap<>();
        segments.segments().forEach(segment -> wanted.put(segment.number(), segment.liveBytes()));
        if (!wanted.equals(live)) {
            report("points to bytes of segments: " + live + "; known are " + wanted);
        }
    }

    private void report(String message) {
        findings.report(file, -1, message);
    }
}
