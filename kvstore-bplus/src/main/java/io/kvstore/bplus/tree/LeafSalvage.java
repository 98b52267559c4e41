package io.kvstore.bplus.tree;

import io.kvstore.bplus.buffer.Page;
import io.kvstore.bplus.buffer.PageBuffer;
import io.kvstore.bplus.page.Node;
import io.kvstore.bytes.ByteReader;
import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import io.kvstore.engine.Findings;
import io.kvstore.error.CorruptionException;
import io.kvstore.value.ValueStore;
import io.kvstore.value.segment.ValuePointer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.BiConsumer;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** Reads the leaves of a tree that is not changed, one by one by their ids, because the branches above them are damaged. */
public final class LeafSalvage {

    private final PageBuffer buffer;
    private final ValueStore values;
    private final KeyRange range;
    private final Findings losses;
    private final BiConsumer<byte[], byte[]> receiver;
    private long entries;

    /** @param losses gets values that are damaged */
    public LeafSalvage(TreeParts parts, KeyRange range, Findings losses, BiConsumer<byte[], byte[]> receiver) {
        this.buffer = parts.buffer();
        this.values = parts.values();
        this.range = range;
        this.losses = losses;
        this.receiver = receiver;
    }

    /**
     * Passes on the entries of all leaves. Pages that are damaged are passed over: the caller came upon them, and has reported
     * them.
     *
     * @param endOfIds above the id of every page
     * @return how many entries were passed on
     */
    public long run(long endOfIds, LongPredicate exists) throws IOException {
        for (long id = 0; id < endOfIds; id++) {
            MemorySegment page = exists.test(id) ? copy(id) : null;
            if (page != null && Node.level(page) == 0) {
                read(page);
            }
        }
        return entries;
    }

    private @Nullable MemorySegment copy(long id) throws IOException {
        try {
            Page page = buffer.load(id);
            long version = page == null ? Page.GONE : page.beginRead();
            return page == null || version == Page.GONE ? null : page.copy();
        } catch (CorruptionException e) {
            return null;
        }
    }

    private void read(MemorySegment page) throws IOException {
        for (int i = 0; i < Node.count(page); i++) {
            byte[] key = Node.key(page, i);
            if (range.contains(key)) {
                byte[] value = value(page, i, key);
                if (value != null) {
                    receiver.accept(key, value);
                    entries++;
                }
            }
        }
    }

    private byte @Nullable [] value(MemorySegment page, int index, byte[] key) throws IOException {
        byte[] payload = Node.payload(page, index);
        if (!Node.isPointer(page, index)) {
            return payload;
        }
        try {
            byte[] value = values.log().read(ValuePointer.read(new ByteReader(buffer.file(), payload)), key);
            if (value != null) {
                return value;
            }
            losses.report(
                    buffer.file(), -1, "the segment of the value of key " + KeyOrder.display(key) + " is missing");
        } catch (CorruptionException e) {
            losses.report(
                    e.file(), e.offset(), "the value of key " + KeyOrder.display(key) + " is lost: " + e.getMessage());
        }
        return null;
    }
}
