package io.kvstore.bplus.buffer;

import io.kvstore.bplus.file.PageFile;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A page that is in memory. Readers take no lock: they remember the version, read, and see whether the version is still the
 * same. One thread at a time changes the bytes of pages, and only those of the current generation; all other pages are frozen.
 *
 * <p>The version is even while the page rests, odd while it is changed, and {@link #GONE} when its memory belongs to another
 * page. The {@link PageBuffer} guards all fields that are not final, except for the version.
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

    /** Whether the file does not have these bytes yet. */
    boolean dirty;

    /** Whether the page is being written. Meanwhile no other thread writes or evicts it. */
    boolean writing;

    /** Whether the page was used since the clock's hand passed it. Set without a lock, as it is only a hint. */
    boolean used = true;

    /** Whether the page stays in memory until {@link PageBuffer#releaseKept}. */
    boolean kept;

    /** The index of the page in the clock. */
    int position;

    /**
     * @param frame the number of its frame, or -1 if the memory is its own
     * @param generation the generation in which it may be changed in place; 0 for none
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

    /** A copy on the heap. A change may tear the copy; {@link #isUnchanged} tells afterwards. */
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

    /** Whether the bytes that were read since {@link #beginRead} are those of one state of this page. */
    public boolean isUnchanged(long since) {
        VarHandle.acquireFence();
        return version == since;
    }

    /** Called before the bytes change. Readers from now on wait or begin again. */
    public void beginChange() {
        VERSION.setOpaque(this, version + 1);
        VarHandle.storeStoreFence(); // a reader that sees a byte of the change sees the version too
    }

    public void endChange() {
        VERSION.setRelease(this, version + 1);
    }

    /** Called before the memory belongs to another page. */
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
