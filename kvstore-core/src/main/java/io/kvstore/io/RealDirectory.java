package io.kvstore.io;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * An open directory of {@link RealStorage}.
 *
 * @param channel null where the system does not open directories
 */
record RealDirectory(Path path, @Nullable DirectChannel channel) implements StorageDirectory {

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
