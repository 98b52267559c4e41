package io.kvstore.io;

import io.kvstore.error.Notices;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes past the system's cache of files, {@code O_DIRECT} on Linux, for a {@link RealStorage}. Such a write needs a memory
 * address, an offset in the file and a length that are multiples of a unit. The rest at the end goes through the cache. Where
 * the file system or the JVM does not know such writes, all bytes go through the cache, and the log of the program says so
 * once.
 *
 * <p>Readers need no care, not even through mappings: the system drops the cached bytes of a unit that is written past the
 * cache. The appended bytes of a unit are either all cached or all not, so a write of one kind never waits for one of the other
 * kind.
 */
final class UncachedWrites {

    private static final int UNIT_BYTES = StorageFile.UNCACHED_UNIT_BYTES;

    /** For fewer bytes the cache is faster, because it does not wait for the disk. */
    static final int LEAST_BYTES = 256 << 10;

    private static final @Nullable OpenOption OPTION = option();

    private volatile boolean refused;

    /** @param possible whether the file system is known or thought to have such writes */
    UncachedWrites(boolean possible) {
        this.refused = !possible || OPTION == null;
    }

    /**
     * Whether the file system of a file that is there has such writes. One byte alone cannot be written past a cache. A file
     * system that writes it all the same does not know the option and ignores it.
     */
    static boolean isPossible(Path file) {
        if (OPTION == null) {
            return false;
        }
        DirectChannel opened;
        try {
            opened = open(file.toString(), file);
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
        try (DirectChannel channel = opened) {
            channel.write(ByteBuffer.allocate(1), 0);
            return false;
        } catch (IOException e) {
            return !(e instanceof NoSpaceException);
        }
    }

    /** Finds the option by reflection: its module may be missing in a JVM, and the compiler warns of names from that module. */
    private static @Nullable OpenOption option() {
        try {
            for (Object constant :
                    Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants()) {
                if (constant instanceof OpenOption option && constant.toString().equals("DIRECT")) {
                    return option;
                }
            }
        } catch (ClassNotFoundException e) {
            Notices.info(
                    UncachedWrites.class,
                    null,
                    "the JVM has no module jdk.unsupported: all is written through the system's cache",
                    null);
        }
        return null;
    }

    /** Writes the remaining bytes of a buffer to a file. Returns the number of bytes that did not go through the cache. */
    long write(Path path, DirectChannel cached, ByteBuffer source, long position) throws IOException {
        int bytes = source.remaining() / UNIT_BYTES * UNIT_BYTES;
        boolean isAligned = source.isDirect()
                && position % UNIT_BYTES == 0
                && source.alignmentOffset(source.position(), UNIT_BYTES) == 0;
        long uncached = 0;
        if (!refused && isAligned && bytes >= LEAST_BYTES) {
            try (DirectChannel channel = open(cached.name(), path)) {
                channel.write(source.slice(source.position(), bytes), position);
                uncached = bytes;
                source.position(source.position() + bytes);
            } catch (UnsupportedOperationException | IOException e) {
                if (e instanceof IOException failure
                        && Failures.of(cached.name(), failure) instanceof NoSpaceException full) {
                    throw full;
                }
                if (!isOutOfDescriptors(path)) {
                    refuse(path, e);
                }
            }
        }
        cached.write(source, position + uncached);
        return uncached;
    }

    /** Whether the file, which is open, cannot be opened for cached writes either. Such a lack of descriptors passes. */
    private static boolean isOutOfDescriptors(Path path) {
        try (DirectChannel channel = DirectChannel.open(path.toString(), path, Set.of(StandardOpenOption.WRITE))) {
            return channel.size() < 0;
        } catch (IOException e) {
            return Failures.ofOpening(path.toString(), e) instanceof NotOpenedException;
        }
    }

    /** Uses only the cache from now on. If the disk itself failed, the writes that follow or the sync fail, too. */
    private void refuse(Path path, Exception cause) {
        refused = true;
        Notices.info(
                UncachedWrites.class, path.toString(), "from now on all is written through the system's cache", cause);
    }

    private static DirectChannel open(String name, Path path) throws IOException {
        return open(name, path, StandardOpenOption.WRITE);
    }

    /** Opens a file for reads past the cache, with the same needs as writes. */
    static DirectChannel openForReading(String name, Path path) throws IOException {
        return open(name, path, StandardOpenOption.READ);
    }

    private static DirectChannel open(String name, Path path, OpenOption way) throws IOException {
        OpenOption option = OPTION;
        if (option == null) {
            throw new UnsupportedOperationException("the JVM knows no way past the cache");
        }
        return DirectChannel.open(name, path, Set.of(way, LinkOption.NOFOLLOW_LINKS, option));
    }
}
