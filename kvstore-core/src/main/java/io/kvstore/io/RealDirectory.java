package io.kvstore.io;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * An open directory of {@link RealStorage}.
 *
 * @param channel null where the system does not open directories
 */
record RealDirectory(@Nullable DirectChannel channel) implements StorageDirectory {

    @Override
    public void sync() throws IOException {
        if (channel != null) {
            channel.force(true);
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
