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
import java.util.List;
import java.util.Set;
import java.util.TimeZone;
import org.jspecify.annotations.Nullable;

/**
 * Tells a lack of resources, which may pass, from every other failure.
 *
 * <p>A failure to open a file is recognized by the call that failed, whatever text the system gives. A full disk or quota can
 * only be recognized by the text: the JDK hands on no error number, and the text may follow the user's language. So the text is
 * also compared with the text that this machine gives for a device that is certainly full. That text is read when the first
 * storage is opened. The files that the report of a failure needs are read then, too: once a disk is full or no descriptor is
 * left, it is too late.
 */
final class Failures {

    private static final List<String> NO_SPACE = List.of(
            "No space left on device",
            "Disk quota exceeded",
            "Quota exceeded",
            "There is not enough space on the disk",
            "The disk is full",
            "out of disk space");
    private static final String NO_DESCRIPTOR = "Too many open files";
    private static final String TOO_MANY = "too many open files";
    private static final Path FULL_DEVICE = Path.of("/dev/full");
    private static final Set<OpenOption> WRITE = Set.of(StandardOpenOption.WRITE);
    private static final @Nullable String TEXT_OF_FULL_DEVICE = textOfFullDevice();

    private Failures() {}

    /** Reads the files that are needed later, while files can be opened. */
    static void prepare() {
        TimeZone.getTimeZone("Europe/Paris"); // a line of a log has a time, and the rules of time zones are in a file
        Notices.prepare(); // so is the configuration that says where a log goes
        of("", new NotOpenedException("", new IOException()));
    }

    /** The failure to throw for {@code path}: a {@link NoSpaceException} if there is no space, else the given failure. */
    static IOException of(String path, IOException failure) {
        return isNoSpace(failure)
                ? new NoSpaceException(path + ": no space left on the disk or in the quota", failure)
                : failure;
    }

    /** The failure of a call that could not open, make or map a file: {@link NotOpenedException}, or a more exact one. */
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
        return text.contains(NO_DESCRIPTOR)
                ? TOO_MANY + "; raise the limit of the process or the system (ulimit -n), or open fewer"
                : text;
    }

    static boolean isOfProcess(IOException named) {
        return String.valueOf(named.getMessage()).contains(TOO_MANY);
    }

    private static boolean isNoSpace(IOException failure) {
        String text = text(failure);
        return text != null && (NO_SPACE.stream().anyMatch(text::contains) || text.equals(TEXT_OF_FULL_DEVICE));
    }

    private static @Nullable String text(IOException failure) {
        return failure instanceof FileSystemException named ? named.getReason() : failure.getMessage();
    }

    /** The text of a write to a full device. Null where there is none, or it cannot be opened: that has another text. */
    private static @Nullable String textOfFullDevice() {
        if (!Files.isWritable(FULL_DEVICE) || Files.isRegularFile(FULL_DEVICE)) {
            return null;
        }
        try (DirectChannel channel = DirectChannel.open("", FULL_DEVICE, WRITE)) {
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
            return e instanceof NoSpaceException && e.getCause() instanceof IOException raw ? text(raw) : text(e);
        }
    }
}
