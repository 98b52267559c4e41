package io.kvstore.io;

import io.kvstore.error.Notices;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.util.List;
import java.util.Set;
import java.util.TimeZone;
import org.jspecify.annotations.Nullable;

/**
 * Tells what the system has not at the moment from every other failure.
 *
 * <p>A file that could not be opened is known by the call that failed, whatever the system says of it. A full disk or quota can
 * only be known by a text: the JDK hands on no number, and the text may follow the user's language. So it is also compared with
 * what this machine says of a device that is full for certain. That is learned when the first storage is opened, and so is what
 * a report of a failure reads from files: when a disk is full or no descriptor is left it is too late to ask.
 */
final class Failures {

    private static final List<String> NO_SPACE = List.of(
            "No space left on device",
            "Disk quota exceeded",
            "Quota exceeded",
            "There is not enough space on the disk",
            "The disk is full");
    private static final List<String> NO_DESCRIPTOR = List.of("Too many open files");
    private static final Path FULL_DEVICE = Path.of("/dev/full");
    private static final Set<OpenOption> WRITE = Set.of(StandardOpenOption.WRITE);
    private static final FileAttribute<?>[] NO_ATTRIBUTES = {};
    private static final @Nullable String TEXT_OF_FULL_DEVICE = textOfFullDevice();

    private Failures() {}

    /** Reads what is needed later, while files can be opened. */
    static void prepare() {
        TimeZone.getTimeZone("Europe/Paris"); // a line of a log has a time, and the rules of time zones are a file
        Notices.prepare(); // so is what says where a log goes
        of("", new NotOpenedException("", new IOException()));
    }

    /** The failure to throw for {@code path}: of its own kind when there is no space, else the given one. */
    static IOException of(String path, IOException failure) {
        return isNoSpace(failure)
                ? new NoSpaceException(path + ": no space left on the disk or in the quota", failure)
                : failure;
    }

    /** The same for a call that opens, makes or maps a file, and failed before it did. */
    static IOException ofOpening(String path, IOException failure) {
        IOException named = of(path, failure);
        return switch (named) {
            case RefusedException refused -> refused;
            case NoSuchFileException missing -> missing;
            case FileAlreadyExistsException there -> there;
            case AccessDeniedException denied -> denied;
            case EOFException shorter -> shorter;
            case ClosedByInterruptException interrupted -> interrupted;
            default -> new NotOpenedException(path + " cannot be opened: " + reason(failure), failure);
        };
    }

    private static String reason(IOException failure) {
        String text = String.valueOf(text(failure));
        return NO_DESCRIPTOR.stream().anyMatch(text::contains)
                ? "too many open files; raise the limit of the process or the system (ulimit -n), or open fewer"
                : text;
    }

    private static boolean isNoSpace(IOException failure) {
        String text = text(failure);
        return text != null && (NO_SPACE.stream().anyMatch(text::contains) || text.equals(TEXT_OF_FULL_DEVICE));
    }

    private static @Nullable String text(IOException failure) {
        return failure instanceof FileSystemException named ? named.getReason() : failure.getMessage();
    }

    /** Null where there is no such device, or it cannot be opened: what is said of that is another text. */
    private static @Nullable String textOfFullDevice() {
        if (!Files.isWritable(FULL_DEVICE) || Files.isRegularFile(FULL_DEVICE)) {
            return null;
        }
        try (DirectChannel channel = DirectChannel.open(FULL_DEVICE, WRITE, NO_ATTRIBUTES)) {
            return textOfFull(channel);
        } catch (IOException e) {
            return null;
        }
    }

    private static @Nullable String textOfFull(DirectChannel device) {
        try {
            device.write(ByteBuffer.allocate(1), 0);
            return null;
        } catch (IOException e) {
            return text(e);
        }
    }
}
