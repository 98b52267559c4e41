package io.kvstore.bplus.buffer;

import io.kvstore.bplus.file.PageFile;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A page that is in memory. Readers take no lock: they remember the version, read, and see whether it is still the same. One
 * thread at a time changes the page's bytes, and only pages of the current generation; all others are frozen.
 *
 * <p>The version is even while the page rests, odd while it is changed, and {@link #GONE} when its memory belongs to somebody
 * else. Fields that are not final but for the version are guarded by the {@link PageBuffer}.
 */
public final class Page {

    /** What {@link #beginRead} returns when the page cannot be read now. */
    public static final long GONE = -1;

    private static final VarHandle VERSION;

    static {
        try {
            VERSION = MethodHandles.lookup().findVarHandle(Page.class, "version", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final long id;
    private final MemorySegment bytes;
    private final int frame;
    private final long generation;
    private volatile long version;

    /** Whether the file has not got these bytes yet. */
    boolean dirty;

    /** Whether it is being written; nobody else writes or evicts it meanwhile. */
    boolean writing;

    /** Whether somebody used it since the clock's hand passed; set without a lock, as it is only a hint. */
    boolean used = true;

    /** Whether a writer asked for it and has not applied yet. */
    boolean kept;

    /** Where the clock has it. */
    int position;

    /**
     * @param frame the number of its frame, or -1 if the memory is its own
     * @param generation in which it may be changed in place; 0 for never
     */
    Page(long id, MemorySegment bytes, int frame, long generation) {
        this.id = id;
        this.bytes = bytes;
        this.frame = frame;
        this.generation = generation;
    }

    public long id() {
        return id;
    }

    public MemorySegment bytes() {
        return bytes;
    }

    /** A copy on the heap. It may be torn by a writer: {@link #isUnchanged} tells afterwards. */
    public MemorySegment copy() {
        MemorySegment copy = MemorySegment.ofArray(new byte[(int) bytes.byteSize()]);
        copy.copyFrom(bytes);
        return copy;
    }

    int frame() {
        return frame;
    }

    public long generation() {
        return generation;
    }

    public int units() {
        return (int) (bytes.byteSize() / PageFile.UNIT_BYTES);
    }

    /** The version to compare afterwards, or {@link #GONE} if the page is being changed or gone. */
    public long beginRead() {
        long now = version;
        return (now & 1) == 0 ? now : GONE;
    }

    /** Whether what was read since {@link #beginRead} is one state of this page. */
    public boolean isUnchanged(long since) {
        VarHandle.acquireFence();
        return version == since;
    }

    /** Readers from now on wait or come again. */
    public void beginChange() {
        VERSION.setOpaque(this, version + 1);
        VarHandle.storeStoreFence(); // who sees a byte of what follows sees the version too
    }

    public void endChange() {
        VERSION.setRelease(this, version + 1);
    }

    /** The memory is about to be somebody else's. */
    void leave() {
        VERSION.setVolatile(this, GONE);
        VarHandle.fullFence();
    }

    public void touch() {
        if (!used) {
            used = true;
        }
    }
}
