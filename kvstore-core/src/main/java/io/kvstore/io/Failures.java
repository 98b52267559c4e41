package io.kvstore.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells a full disk or quota from every other failure. The JDK hands on the system's text and no number, and the text may
 * follow the user's language; so it is also compared with what this machine says of a device that is full for certain.
 */
final class Failures {

    private static final List<String> NO_SPACE = List.of(
            "No space left on device",
            "Disk quota exceeded",
            "Quota exceeded",
            "There is not enough space on the disk",
            "The disk is full");
    private static final Path FULL_DEVICE = Path.of("/dev/full");
    private static final Set<OpenOption> WRITE = Set.of(StandardOpenOption.WRITE);
    private static final FileAttribute<?>[] NO_ATTRIBUTES = {};

    private Failures() {}

    /** The failure to throw for {@code path}: of its own kind when there is no space, else the given one. */
    static IOException of(String path, IOException failure) {
        return isNoSpace(failure)
                ? new NoSpaceException(path + ": no space left on the disk or in the quota", failure)
                : failure;
    }

    private static boolean isNoSpace(IOException failure) {
        String text = text(failure);
        return text != null && (NO_SPACE.stream().anyMatch(text::contains) || text.equals(textOfFullDevice()));
    }

    private static @Nullable String text(IOException failure) {
        return failure instanceof FileSystemException named ? named.getReason() : failure.getMessage();
    }

    private static @Nullable String textOfFullDevice() {
        if (!Files.isWritable(FULL_DEVICE) || Files.isRegularFile(FULL_DEVICE)) {
            return null;
        }
        try (DirectChannel channel = DirectChannel.open(FULL_DEVICE, WRITE, NO_ATTRIBUTES)) {
            channel.write(ByteBuffer.allocate(1), 0);
            return null;
        } catch (IOException e) {
            return text(e);
        }
    }
}
