package io.kvstore.io;

import io.kvstore.error.Closing;
import io.kvstore.error.Notices;
import io.kvstore.error.StoreLockedException;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A new directory for files that are not to outlive their owner. It is below the system's directory for such files, named
 * {@code kvstore-temporary-} and 16 hexadecimal digits, and for the system user only. {@link #close} deletes it. A process that
 * is killed leaves it; the next owner of such a directory removes what was left.
 *
 * <p>The directory has a file {@code LOCK}, locked as long as the owner lives, and the directory {@code store} for the owner's
 * files. A directory is left over if its lock is free. It is removed only if it is of the same system user, has such a name and
 * holds nothing else. So none that is in use or foreign is touched, however many processes make and remove directories at the
 * same time:
 *
 * <ul>
 *   <li>A new directory counts once its lock is held and the locked file is still there. If another process was faster and
 *       removes the directory, the maker takes another name.
 *   <li>Only the maker of a directory makes {@code LOCK}. Otherwise the maker could take the {@code LOCK} of a process that
 *       removes the directory for its own.
 *   <li>Files are deleted only by a process that holds the lock, and {@code LOCK} is the last of them.
 *   <li>A directory without {@code LOCK} is removed only if it is empty. That is one step for the system.
 * </ul>
 */
public final class TemporaryDirectory implements AutoCloseable {

    private static final String PREFIX = "kvstore-temporary-";
    private static final Pattern NAME = Pattern.compile(PREFIX + "[0-9a-f]{16}");
    private static final String LOCK = "LOCK";
    private static final String FILES = "store";
    private static final int MOST_TRIES = 100;

    private final Path directory;
    private final RealStorage outside;
    private final StorageLock lock;
    private final RealStorage files;

    private TemporaryDirectory(Path directory, RealStorage outside, StorageLock lock) throws IOException {
        this.directory = directory;
        this.outside = outside;
        this.lock = lock;
        this.files = new RealStorage(directory.resolve(FILES));
    }

    /** Makes a directory, and removes those that processes left which were killed. */
    public static TemporaryDirectory make() throws IOException {
        // the system property decides, because a host that sets it wants temporary files there
        return below(System.getProperty("java.io.tmpdir", ""));
    }

    static TemporaryDirectory below(String place) throws IOException {
        Path parent = Path.of(place);
        if (place.isEmpty() || !Files.isDirectory(parent)) {
            throw new IOException("java.io.tmpdir is \"" + place + "\", which is no directory; set it to one that is");
        }
        return make(parent.toRealPath());
    }

    /** @param parent a real path */
    static TemporaryDirectory make(Path parent) throws IOException {
        TemporaryDirectory made = makeIn(parent);
        boolean swept = false;
        try {
            sweep(made.directory);
            swept = true;
        } catch (IOException | DirectoryIteratorException e) {
            Notices.debug(TemporaryDirectory.class, parent.toString(), "nobody knows what is left over there", e);
            swept = true;
        } finally {
            if (!swept) {
                Closing.giveUp(made, TemporaryDirectory.class, parent.toString());
            }
        }
        return made;
    }

    private static TemporaryDirectory makeIn(Path parent) throws IOException {
        SecureRandom random = new SecureRandom();
        IOException last = null;
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            Path directory = parent.resolve(PREFIX + HexFormat.of().toHexDigits(random.nextLong()));
            try {
                return begin(directory);
            } catch (FileAlreadyExistsException | NoSuchFileException e) {
                last = e;
            } catch (StoreLockedException e) {
                last = new IOException(e);
            }
        }
        throw new IOException("no temporary directory could be made in " + parent, last);
    }

    private static TemporaryDirectory begin(Path directory) throws IOException {
        if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileAlreadyExistsException(directory.toString());
        }
        RealStorage outside = new RealStorage(directory);
        StorageLock lock = outside.lock(LOCK);
        boolean made = false;
        try {
            if (!outside.exists(LOCK)) {
                throw new NoSuchFileException(directory.toString(), null, "another process has just removed it");
            }
            TemporaryDirectory whole = new TemporaryDirectory(directory, outside, lock);
            made = true;
            return whole;
        } finally {
            if (!made) {
                Closing.giveUp(() -> remove(directory, outside, lock), TemporaryDirectory.class, directory.toString());
            }
        }
    }

    /** The files of the owner. There are none at first. */
    public Storage files() {
        return files;
    }

    /** Deletes the directory. Nobody may use the files any more. A directory that cannot be deleted is left over. */
    @Override
    public void close() throws IOException {
        remove(directory, outside, lock);
    }

    /** Removes a directory of which the caller has the lock, and gives up the lock. */
    private static void remove(Path directory, RealStorage outside, StorageLock lock) throws IOException {
        try (lock) {
            outside.deleteTree(FILES);
            outside.delete(LOCK);
        }
        removeEmpty(directory);
    }

    /** The maker may have been slower than a sweeper, and makes LOCK now. Then the maker notices, and leaves the directory. */
    private static void removeEmpty(Path directory) throws IOException {
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            try {
                Files.deleteIfExists(directory);
                return;
            } catch (DirectoryNotEmptyException e) {
                List<String> names = new RealStorage(directory).list("");
                if (names.contains(LOCK)) {
                    return;
                }
                if (!names.isEmpty()) {
                    throw new IOException(
                            directory + " has " + names.getFirst() + ", which no store put there; it stays", e);
                }
            }
        }
    }

    /** Removes the directories that are left over beside one of this process. The next sweep tries what this one cannot. */
    private static void sweep(Path own) throws IOException {
        Path parent = own.toAbsolutePath().getParent();
        try (DirectoryStream<Path> beside = Files.newDirectoryStream(parent, PREFIX + "*")) {
            for (Path directory : beside) {
                try {
                    if (!directory.equals(own) && isOwn(directory, own)) {
                        sweepOne(directory);
                    }
                } catch (StoreLockedException e) {
                    // its owner lives
                } catch (IOException | RuntimeException e) {
                    Notices.debug(TemporaryDirectory.class, directory.toString(), "it is left over and stays", e);
                }
            }
        }
    }

    private static boolean isOwn(Path directory, Path own) throws IOException {
        return NAME.matcher(String.valueOf(directory.getFileName())).matches()
                && Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
                && Files.getOwner(directory, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(own));
    }

    private static void sweepOne(Path directory) throws IOException {
        RealStorage outside = new RealStorage(directory);
        List<String> names = outside.list("");
        if (names.isEmpty()) {
            removeEmpty(directory);
        } else if (names.contains(LOCK) && Set.of(LOCK, FILES).containsAll(names)) {
            StorageLock lock = outside.lockExisting(LOCK);
            Notices.info(TemporaryDirectory.class, directory.toString(), "a process that was killed left it", null);
            remove(directory, outside, lock);
        }
    }

    @Override
    public String toString() {
        return directory.toString();
    }
}
