package io.kvstore.sealed.build;

import io.kvstore.bytes.Checksum;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Several streams of numbers that are written side by side, and read one after the other. A stream has 16 KiB in memory. What
 * is longer lies in one temporary file, in pieces; of a piece its place and its checksum are in memory.
 */
final class ScratchStreams {

    static final int PIECE_BYTES = 16 << 10;

    private static final int PIECE = PIECE_BYTES / Long.BYTES;
    private static final int FEW_NUMBERS = 64;

    private final BuildFiles files;
    private final String purpose;
    private final Stream[] streams;
    private final ByteBuffer transfer = ByteBuffer.allocate(PIECE_BYTES);
    private @Nullable StorageFile file;
    private int filePieces;

    private static final class Stream {
        private long[] last = new long[FEW_NUMBERS];
        private int used;
        private int[] pieces = new int[0];
        private int[] checksums = new int[0];
        private int pieceCount;
    }

    ScratchStreams(BuildFiles files, String purpose, int streams) {
        this.files = files;
        this.purpose = purpose;
        this.streams = new Stream[streams];
        Arrays.setAll(this.streams, _ -> new Stream());
    }

    void add(int number, long value) throws IOException {
        Stream stream = streams[number];
        if (stream.used == stream.last.length) {
            makeRoom(stream);
        }
        stream.last[stream.used++] = value;
    }

    private void makeRoom(Stream stream) throws IOException {
        if (stream.used < PIECE) {
            stream.last = Arrays.copyOf(stream.last, Math.min(PIECE, 2 * stream.used));
            return;
        }
        StorageFile scratch = file;
        if (scratch == null) {
            scratch = files.create(purpose);
            file = scratch;
        }
        transfer.clear().asLongBuffer().put(stream.last);
        scratch.write(transfer, (long) filePieces * PIECE_BYTES);
        if (stream.pieceCount == stream.pieces.length) {
            int more = Math.max(4, 2 * stream.pieceCount);
            stream.pieces = Arrays.copyOf(stream.pieces, more);
            stream.checksums = Arrays.copyOf(stream.checksums, more);
        }
        stream.checksums[stream.pieceCount] = Checksum.of(transfer.array());
        stream.pieces[stream.pieceCount++] = filePieces;
        filePieces = Math.incrementExact(filePieces);
        stream.used = 0;
    }

    /** Gives back memory and file. Nothing is added or read any more. */
    void drop() throws IOException {
        Arrays.setAll(streams, _ -> new Stream());
        StorageFile scratch = file;
        if (scratch != null) {
            file = null;
            files.delete(scratch);
        }
    }

    /** How many numbers a stream has. */
    long size(int number) {
        Stream stream = streams[number];
        return (long) stream.pieceCount * PIECE + stream.used;
    }

    /** The numbers of a stream, in their order. */
    Reader read(int number) {
        return new Reader(streams[number]);
    }

    /** Reads one stream, while nothing is added and no other one is read. */
    final class Reader {
        private final Stream stream;
        private int nextPiece;
        private int at = PIECE;

        private Reader(Stream stream) {
            this.stream = stream;
        }

        long next() throws IOException {
            if (nextPiece == stream.pieceCount && at == PIECE) {
                nextPiece++;
                at = 0;
            }
            if (nextPiece > stream.pieceCount) {
                return stream.last[at++];
            }
            if (at == PIECE) {
                readPiece(nextPiece++);
                at = 0;
            }
            return transfer.getLong(Long.BYTES * at++);
        }

        private void readPiece(int piece) throws IOException {
            StorageFile scratch = file;
            if (scratch == null) {
                throw new IllegalStateException("no piece was written");
            }
            long offset = (long) stream.pieces[piece] * PIECE_BYTES;
            scratch.readFully(transfer.clear(), offset);
            if (Checksum.of(transfer.array()) != stream.checksums[piece]) {
                throw new CorruptionException(
                        scratch.path(), offset, "temporary numbers are damaged; build the file again");
            }
        }
    }
}
