package io.kvstore.wal.format;

import io.kvstore.data.TableMutations;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads the frames of one segment file in order through a bounded window. The window grows only for a frame whose header
 * checksum holds and which fits into the file. Not safe for use by several threads.
 */
public final class FrameScanner implements AutoCloseable {

    private static final int WINDOW_BYTES = 256 << 10;
    private static final byte[] ZEROS = new byte[4 << 10];

    private final StorageFile file;
    private final long segmentId;
    private final long limit;
    private final FrameHeader frame = new FrameHeader();
    private final CRC32C crc = new CRC32C();
    private byte[] window;
    private long windowStart;
    private int windowLength;
    private long position;
    private long next;
    private long lastEnd;
    private boolean headerHolds;

    /**
     * Reads the frames from {@code from} to {@code limit}, or the end of the file if that comes first.
     *
     * @param file is closed with the scanner, and if the scanner cannot be made
     */
    public FrameScanner(StorageFile file, long segmentId, long from, long limit) throws IOException {
        this.file = file;
        this.segmentId = segmentId;
        boolean complete = false;
        try {
            this.limit = Math.min(limit, file.size());
            this.window = new byte[Math.clamp(this.limit - from, LogFormat.FRAME_HEADER_BYTES, WINDOW_BYTES)];
            complete = true;
        } finally {
            if (!complete) {
                file.close();
            }
        }
        this.next = from;
        this.lastEnd = from;
    }

    /** Moves to the frame behind the current one. False if no valid frame begins there. */
    public boolean next() throws IOException {
        position = next;
        if (!readFrame(position)) {
            return false;
        }
        next = position + LogFormat.frameBytes(frame.length);
        return true;
    }

    /** Searches for the next valid frame behind the current position and moves to it. False if there is none. */
    public boolean seek() throws IOException {
        for (long at = position + LogFormat.ALIGNMENT; at + LogFormat.FRAME_HEADER_BYTES <= limit; ) {
            if (readFrame(at)) {
                position = at;
                next = at + LogFormat.frameBytes(frame.length);
                return true;
            }
            at += zeros(at) + LogFormat.ALIGNMENT;
        }
        return false;
    }

    /** So many bytes behind a place without a frame cannot begin one: a header has a byte that is not zero. */
    private long zeros(long at) {
        int from = (int) (at - windowStart);
        if (at < windowStart || from >= windowLength || window[from] != 0) {
            return 0;
        }
        int most = Math.min(windowLength - from, ZEROS.length);
        int different = Arrays.mismatch(window, from, from + most, ZEROS, 0, most);
        int zeros = different < 0 ? most : different;
        int passed = zeros - LogFormat.FRAME_HEADER_BYTES;
        return passed <= 0 ? 0 : passed / LogFormat.ALIGNMENT * LogFormat.ALIGNMENT;
    }

    /** Whether the place without a valid frame holds a valid header. If so, {@link #frame} returns this header. */
    public boolean hasHeader() {
        return headerHolds;
    }

    /** Makes the next call of {@link #next} look at that offset. */
    public void moveTo(long offset) {
        next = offset;
    }

    /** Offset of the current frame, or of the place where no frame was found. */
    public long position() {
        return position;
    }

    public FrameHeader frame() {
        return frame;
    }

    /** The array that holds the payload of the current frame. */
    public byte[] payload() {
        return window;
    }

    /** The index in {@link #payload()} at which the payload of the current frame begins. */
    public int payloadAt() {
        return (int) (position - windowStart) + LogFormat.FRAME_HEADER_BYTES;
    }

    public boolean isRecord() {
        return frame.kind != LogFormat.WATERMARK && frame.kind != LogFormat.SEAL && frame.kind != LogFormat.SUCCESSOR;
    }

    /** @param remedy the end of the message if the operation of the current frame cannot be read */
    public List<TableMutations> operation(String remedy) {
        try {
            return LogRecord.decode(frame, window, payloadAt());
        } catch (IllegalArgumentException | BufferUnderflowException e) {
            throw new CorruptionException(file.path(), position, "a record cannot be read: " + e.getMessage() + remedy);
        }
    }

    /** The segment that the current frame names as the next one; 0 if it names none. */
    public long successor() {
        boolean says = frame.kind == LogFormat.SUCCESSOR && frame.length >= Long.BYTES;
        return says ? Math.max(0, LogFormat.decodeSuccessor(window, payloadAt())) : 0;
    }

    /** What the current frame states as durable. Null if it is no watermark or seal with such a statement. */
    public @Nullable WatermarkPayload watermark() {
        boolean says = frame.kind == LogFormat.WATERMARK || frame.kind == LogFormat.SEAL;
        return says && frame.length >= LogFormat.LEAST_MARK_BYTES
                ? WatermarkPayload.decode(window, payloadAt(), frame.length)
                : null;
    }

    /**
     * The end of the last frame with a valid header that was met so far, whole or torn. Bytes behind this end mean nothing:
     * they are zeros, or left from an earlier use of the file.
     */
    public long lastEnd() {
        return lastEnd;
    }

    private boolean readFrame(long at) throws IOException {
        headerHolds = false;
        if (at + LogFormat.FRAME_HEADER_BYTES > limit || !fill(at, LogFormat.FRAME_HEADER_BYTES)) {
            return false;
        }
        int header = (int) (at - windowStart);
        long room = limit - at - LogFormat.FRAME_HEADER_BYTES;
        if (!frame.decode(segmentId, at, window, header, room)) {
            return false;
        }
        headerHolds = true;
        lastEnd = Math.max(lastEnd, Math.min(limit, at + LogFormat.frameBytes(frame.length)));
        if (at + LogFormat.frameBytes(frame.length) > limit || !fill(at, LogFormat.FRAME_HEADER_BYTES + frame.length)) {
            return false;
        }
        crc.reset();
        crc.update(window, (int) (at - windowStart) + LogFormat.FRAME_HEADER_BYTES, frame.length);
        return (int) crc.getValue() == frame.payloadCrc;
    }

    /** Brings a range of the file into the window. False if the range goes beyond the limit. */
    private boolean fill(long at, int length) throws IOException {
        if (at >= windowStart && at + length <= windowStart + windowLength) {
            return true;
        }
        if (length > window.length) {
            window = new byte[length];
        }
        int wanted = (int) Math.min(window.length, limit - at);
        if (wanted < length) {
            return false;
        }
        file.readFully(ByteBuffer.wrap(window, 0, wanted), at);
        windowStart = at;
        windowLength = wanted;
        return true;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
