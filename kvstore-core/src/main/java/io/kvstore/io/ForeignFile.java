package io.kvstore.io;

import io.kvstore.error.InvalidRequestException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/** A file that lies outside of a storage, and is taken into one: see {@link Storage#adopt}. */
public record ForeignFile(Path path) {

    private static final int PIECE_BYTES = 256 << 10;

    /**
     * The file behind all links.
     *
     * @throws InvalidRequestException if there is none
     */
    ForeignFile real() throws IOException {
        try {
            Path real = path.toRealPath();
            if (Files.isRegularFile(real)) {
                return new ForeignFile(real);
            }
        } catch (NoSuchFileException e) {
            throw new InvalidRequestException("there is no file " + path);
        }
        throw new InvalidRequestException(path + " is not a file");
    }

    /** Copies the file to a new one. */
    void copyTo(Storage storage, String target) throws IOException {
        Path source = real().path;
        try (DirectChannel from = DirectChannel.open(target, source, Set.of(StandardOpenOption.READ));
                StorageFile to = storage.create(target)) {
            ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
            long size = from.size();
            for (long at = 0; at < size; at += piece.limit()) {
                piece.clear().limit((int) Math.min(PIECE_BYTES, size - at));
                read(from, piece, at);
                to.write(piece.flip(), at);
            }
        }
    }

    private void read(DirectChannel from, ByteBuffer piece, long offset) throws IOException {
        while (piece.hasRemaining()) {
            if (from.read(piece, offset + piece.position()) < 0) {
                throw new EOFException(path + " became shorter while it was copied");
            }
        }
    }
}
