package io.kvstore.bplus.maintenance;

import io.kvstore.engine.TableContext;
import io.kvstore.value.ValueSpace;
import io.kvstore.value.ValueStore;
import java.io.IOException;
import java.util.function.LongSupplier;

/**
 * The bytes that a table may take on the disk beside twice its live bytes, and the parts of them that layers and pages take.
 *
 * <p>The size of the values that waiting changes replace or remove is not known before these changes are merged. It is at most
 * the bytes that they brought. Upkeep begins long before the debt of the {@link ValueSpace} is at its limit, and by itself
 * keeps the debt below the limit.
 */
public final class Slack {

    /** The most slack. Pages and the {@link Reserve} take the rest of the 128 MiB beside twice the live bytes. */
    private static final long MOST_BYTES = 80 << 20;

    private static final long LEAST_BYTES = 256 << 10;

    /** A table with a small page buffer is meant to be a small one: its slack is at most this many times its page buffer. */
    private static final int BUFFER_TIMES = 8;

    /** The values of one layer may be at least this part of the slack. */
    private static final int LAYER_PART = 4;

    /** Pages of a third state may be this part of the slack. Chosen, not measured. */
    private static final int PAGES_PART = 2;

    /** The values of one layer may also be this part of the live bytes. */
    private static final int LIVE_PART = 8;

    /** The values of one layer may also be this part of the debt still allowed: for three layers, and one being merged. */
    private static final int ROOM_PART = 4;

    private final TableContext context;
    private final ValueStore values;
    private final LongSupplier waitingBytes;
    private final long bytes;
    private final ValueSpace space;
    private final Reserve reserve;

    /**
     * @param waitingBytes bytes of the value records that waiting changes brought
     * @param bufferBytes the most bytes that the page buffer takes
     */
    public Slack(TableContext context, ValueStore values, LongSupplier waitingBytes, long bufferBytes)
            throws IOException {
        this.context = context;
        this.values = values;
        this.waitingBytes = waitingBytes;
        this.bytes = Math.clamp(BUFFER_TIMES * Math.min(bufferBytes, MOST_BYTES), LEAST_BYTES, MOST_BYTES);
        this.space = new ValueSpace(context, values, waitingBytes, this::aliveBytes, bytes);
        this.reserve = new Reserve(context, bytes);
    }

    private long aliveBytes() {
        return Math.max(0, values.liveBytes() - waitingBytes.getAsLong());
    }

    TableContext context() {
        return context;
    }

    /** The debt, for which writers wait. */
    public ValueSpace space() {
        return space;
    }

    Reserve reserve() {
        return reserve;
    }

    /**
     * The most bytes of values in a layer. A few large layers take less time to merge than many small ones. But each value may
     * replace another one, so layers are small where many bytes are dead.
     */
    public long mostLayerBytes() {
        long room = space.limitBytes() - (space.debtBytes() - waitingBytes.getAsLong());
        return Math.max(leastLayerBytes(), Math.max(values.liveBytes() / LIVE_PART, room / ROOM_PART));
    }

    /** The bytes of values that a layer may bring at all times. */
    public long leastLayerBytes() {
        return bytes / LAYER_PART;
    }

    /** The bytes of pages that merges may add to the file while a checkpoint is written, beside two states of all pages. */
    long pagesBytes() {
        return bytes / PAGES_PART;
    }
}
