package io.kvstore.io;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Writes past the system's cache of files, {@code O_DIRECT} on Linux, for a {@link RealStorage}. It takes memory and places
 * in the file that are multiples of a block: so what is written is gathered in aligned memory, and its ends that lie within
 * blocks go through the cache. Where the file system or the JVM knows no such writes, all goes through the cache, and the log
 * of the program says so once.
 *
 * <p>Readers need no care, through mappings neither: the system drops what its cache has of such a block. What is appended is
 * in each block either cached or not, so there is nothing of one kind for the other to wait for.
 *
 * <p>Each thread that writes takes memory for one piece, which no budget counts; two are kept.
 */
final class UncachedWrites {

    /** No file system in use asks for more. */
    static final int BLOCK_BYTES = 4 << 10;

    /** Below this the cache is faster: it does not wait for the disk. */
    static final int LEAST_BYTES = 256 << 10;

    /** Written at a time, and the size of the memory for it. */
    static final int PIECE_BYTES = 4 << 20;

    private static final System.Logger LOG = System.getLogger(UncachedWrites.class.getName());
    private static final int KEPT_BUFFERS = 2;
    private static final FileAttribute<?>[] NO_ATTRIBUTES = {};
    private static final @Nullable OpenOption OPTION = option();

    private final BlockingQueue<ByteBuffer> buffers = new ArrayBlockingQueue<>(KEPT_BUFFERS);
    private volatile boolean refused = OPTION == null;

    /** It is in a module that a JVM need not have, whose names the compiler warns of. */
    private static @Nullable OpenOption option() {
        try {
            for (Object constant :
                    Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants()) {
                if (constant instanceof OpenOption option && constant.toString().equals("DIRECT")) {
                    return option;
                }
            }
        } catch (ClassNotFoundException e) {
            LOG.log(Level.INFO, "the JVM has no module jdk.unsupported: all is written through the system's cache");
        }
        return null;
    }

    /**
     * Writes some buffers one behind the other.
     *
     * @param path of the file
     * @param cached the file, for what goes through the cache
     * @return how many bytes did not
     */
    long write(Path path, DirectChannel cached, List<ByteBuffer> sources, long position) throws IOException {
        long end = position + sources.stream().mapToLong(ByteBuffer::remaining).sum();
        long from = Math.ceilDiv(position, BLOCK_BYTES) * BLOCK_BYTES;
        long to = end / BLOCK_BYTES * BLOCK_BYTES;
        if (!refused && to - from >= LEAST_BYTES) {
            try {
                write(path, cached, new Gathered(sources), new Range(position, from, to, end));
                return to - from;
            } catch (UnsupportedOperationException | IOException | OutOfMemoryError e) {
                if (e instanceof IOException failure
                        && Failures.of(path.toString(), failure) instanceof NoSpaceException) {
                    throw failure;
                }
                refuse(path, e);
            }
        }
        long at = position;
        for (ByteBuffer source : sources) {
            int bytes = source.remaining();
            cached.write(source.duplicate(), at);
            at += bytes;
        }
        return 0;
    }

    /** If it was the disk that failed, the writes that follow fail too, or the sync. */
    private void refuse(Path path, Throwable cause) {
        refused = true;
        LOG.log(Level.INFO, path + ": from now on all is written through the system's cache: " + cause);
    }

    /** Where in the file something goes: from the first multiple of a block to the last one past the cache. */
    private record Range(long start, long from, long to, long end) {}

    private void write(Path path, DirectChannel cached, Gathered source, Range range) throws IOException {
        ByteBuffer buffer = take();
        try (DirectChannel channel = open(path)) {
            source.fill(buffer, range.from - range.start);
            cached.write(buffer, range.start);
            for (long at = range.from; at < range.to; at += PIECE_BYTES) {
                source.fill(buffer, Math.min(PIECE_BYTES, range.to - at));
                channel.write(buffer, at);
            }
            source.fill(buffer, range.end - range.to);
            cached.write(buffer, range.to);
        } finally {
            boolean _ = buffers.offer(buffer); // the collector has those beyond the ones that are kept
        }
    }

    private static DirectChannel open(Path path) throws IOException {
        OpenOption option = OPTION;
        if (option == null) {
            throw new UnsupportedOperationException("the JVM knows no such writes");
        }
        return DirectChannel.open(
                path, Set.of(StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS, option), NO_ATTRIBUTES);
    }

    private ByteBuffer take() {
        ByteBuffer kept = buffers.poll();
        return kept != null
                ? kept
                : Arena.ofAuto().allocate(PIECE_BYTES, BLOCK_BYTES).asByteBuffer();
    }

    /** The bytes of several buffers in a row, which stay as they are. */
    private static final class Gathered {

        private final List<ByteBuffer> sources;
        private int next;
        private int done;

        Gathered(List<ByteBuffer> sources) {
            this.sources = sources;
        }

        /** Makes the next so many bytes all that {@code target} has. */
        void fill(ByteBuffer target, long bytes) {
            target.clear().limit((int) bytes);
            while (target.hasRemaining()) {
                ByteBuffer source = sources.get(next);
                int count = Math.min(target.remaining(), source.remaining() - done);
                target.put(target.position(), source, source.position() + done, count);
                target.position(target.position() + count);
                done += count;
                if (done == source.remaining()) {
                    next++;
                    done = 0;
                }
            }
            target.flip();
        }
    }
}
