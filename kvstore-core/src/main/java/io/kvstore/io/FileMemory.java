package io.kvstore.io;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Maps files, each through a channel of its own, which is closed at once. */
final class FileMemory {

    private FileMemory() {}

    /** Maps a file. An interrupt closes only the channel of this call. The call then starts again with another channel. */
    static MemorySegment map(Path path, long bytes, FileChannel.MapMode mode, Arena arena) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return tryMap(path, bytes, mode, arena);
                } catch (ClosedByInterruptException e) {
                    interrupted |= Thread.interrupted();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static MemorySegment tryMap(Path path, long bytes, FileChannel.MapMode mode, Arena arena)
            throws IOException {
        try (FileChannel channel = open(path, mode)) {
            if (channel.size() < bytes) {
                throw new EOFException(path + " has " + channel.size() + " bytes; wanted to map " + bytes);
            }
            return channel.map(mode, 0, bytes, arena);
        }
    }

    private static FileChannel open(Path path, FileChannel.MapMode mode) throws IOException {
        return mode == FileChannel.MapMode.READ_ONLY
                ? FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)
                : FileChannel.open(path, RealMapping.READ_WRITE);
    }
}
