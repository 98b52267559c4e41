package io.kvstore.io;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** An open directory of {@link RealStorage}. */
final class RealDirectory implements StorageDirectory {

    private final Path path;
    private final @Nullable DirectChannel channel;

    /** A directory that was opened. The channel is null where the system does not open directories. */
    RealDirectory(Path path, @Nullable DirectChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    @Override
    public void sync() throws IOException {
        if (channel != null) {
            try {
                channel.forceAll();
            } catch (IOException e) {
                throw Failures.of(path.toString(), e);
            }
        }
    }

    @Override
    public void close() {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                // nothing is written through the channel, so nothing is lost
            }
        }
    }
}
