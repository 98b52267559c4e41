package io.kvstore.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Makes and removes directories, and never one that is in use or foreign. {@code TemporaryStoreTest} kills their owners. */
final class TemporaryDirectoryTest {

    private static final String LEFT = "kvstore-temporary-0123456789abcdef";

    private final Path parent;

    TemporaryDirectoryTest(@TempDir Path parent) throws IOException {
        this.parent = parent.toRealPath();
    }

    private List<Path> all() throws IOException {
        try (Stream<Path> found = Files.list(parent)) {
            return found.sorted().toList();
        }
    }

    /** What a process leaves that was killed. */
    private Path leave(String name) throws IOException {
        return leave(parent, name);
    }

    private static Path leave(Path below, String name) throws IOException {
        Path left = below.resolve(name);
        Files.createDirectories(left.resolve("store").resolve("tables"));
        Files.writeString(left.resolve("store").resolve("CATALOG"), "x");
        Files.writeString(left.resolve("LOCK"), "1\n");
        return left;
    }

    @Test
    void it_is_for_the_owner_only_and_goes_with_all_that_is_in_it() throws IOException {
        try (TemporaryDirectory made = TemporaryDirectory.make(parent);
                TemporaryDirectory other = TemporaryDirectory.make(parent)) {
            assertNotEquals(made.toString(), other.toString());
            assertTrue(made.toString().matches(".*/kvstore-temporary-[0-9a-f]{16}"), made.toString());
            made.files().createDirectory("d");
            try (StorageFile file = made.files().create("d/a")) {
                file.write(ByteBuffer.wrap(new byte[] {1}), 0);
            }
            if (parent.getFileSystem().supportedFileAttributeViews().contains("posix")) {
                assertEquals(
                        "rwx------",
                        PosixFilePermissions.toString(Files.getPosixFilePermissions(Path.of(made.toString()))));
            }
            assertEquals(2, all().size(), "the first is in use and stays");
        }
        assertEquals(List.of(), all());
    }

    @Test
    void what_is_left_over_goes_when_the_next_is_made() throws IOException {
        leave(LEFT);
        Files.createDirectory(parent.resolve("kvstore-temporary-00000000000000aa"));
        TemporaryDirectory.make(parent).close();
        assertEquals(List.of(), all());
    }

    @Test
    void what_is_foreign_stays(@TempDir Path elsewhere) throws IOException {
        List<Path> foreign = new ArrayList<>();
        foreign.add(leave("kvstore-temporary-notes"));
        foreign.add(leave("kvstore-temporary-0123456789ABCDEF"));
        foreign.add(leave("kvstore-0123456789abcdef"));
        Path withNotes = leave(LEFT);
        Files.writeString(withNotes.resolve("notes"), "mine");
        foreign.add(withNotes);
        Path unlocked = leave("kvstore-temporary-00000000000000ab");
        Files.delete(unlocked.resolve("LOCK"));
        foreign.add(unlocked);
        Files.writeString(parent.resolve("kvstore-temporary-00000000000000ac"), "a file");
        Files.writeString(elsewhere.resolve("LOCK"), "");
        Files.createDirectory(elsewhere.resolve("store"));
        Files.createSymbolicLink(parent.resolve("kvstore-temporary-00000000000000ad"), elsewhere);
        TemporaryDirectory.make(parent).close();
        for (Path directory : foreign) {
            assertTrue(Files.exists(directory.resolve("store/CATALOG")), () -> directory + " was not ours and is gone");
        }
        assertEquals(foreign.size() + 2, all().size());
        assertTrue(Files.exists(elsewhere.resolve("store")));
    }

    @Test
    void what_cannot_be_deleted_is_reported_and_left_over() throws IOException {
        TemporaryDirectory made = TemporaryDirectory.make(parent);
        Path directory = Path.of(made.toString());
        Files.createDirectories(directory.resolve("foreign/below"));
        IOException refusal = assertThrows(IOException.class, made::close);
        assertTrue(String.valueOf(refusal.getMessage()).contains("has foreign"), refusal.getMessage());
        assertTrue(Files.exists(directory.resolve("foreign/below")), "it was put there by somebody else");
        assertFalse(Files.exists(directory.resolve("store")));
    }

    /** Threads that make and close at once, as processes do, beside what others left: each has its own, and nothing stays. */
    @Test
    @Tag("races")
    void many_make_and_sweep_at_once(@TempDir Path workshop) throws Exception {
        int threads = 4;
        try (ExecutorService workers = Executors.newFixedThreadPool(threads)) {
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int number = i;
                tasks.add(() -> {
                    for (int round = 0; round < 30; round++) {
                        String name = "kvstore-temporary-" + HexFormat.of().toHexDigits((long) number << 32 | round);
                        // appears whole, because another thread sweeps a directory that is still empty
                        Files.move(leave(workshop, name), parent.resolve(name), StandardCopyOption.ATOMIC_MOVE);
                        try (TemporaryDirectory made = TemporaryDirectory.make(parent)) {
                            made.files().create("a").close();
                            assertTrue(made.files().exists("a"));
                        }
                    }
                    return null;
                });
            }
            for (Future<Void> done : workers.invokeAll(tasks)) {
                done.get();
            }
        }
        TemporaryDirectory.make(parent).close();
        assertEquals(List.of(), all());
    }

    @Test
    void a_place_that_is_none_is_named() {
        IOException refusal = assertThrows(
                IOException.class,
                () -> TemporaryDirectory.below(parent.resolve("none").toString()));
        assertTrue(String.valueOf(refusal.getMessage()).contains("java.io.tmpdir is \""), refusal.getMessage());
        assertThrows(IOException.class, () -> TemporaryDirectory.below(""));
    }
}
