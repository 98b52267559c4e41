package io.kvstore.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.error.StoreLockedException;
import java.io.BufferedReader;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** One owner, in this process and among all. */
final class DirectoryLockTest {

    private final Path directory;

    DirectoryLockTest(@TempDir Path directory) {
        this.directory = directory;
    }

    /** Run in another process: takes the lock of the directory given, says so, and holds it until its input ends. */
    public static final class Other {
        private Other() {}

        /** Prints {@code taken}, or the owner's process id. */
        public static void main(String[] arguments) throws IOException {
            try (StorageLock _ = new RealStorage(Path.of(arguments[0])).lock("LOCK")) {
                answer("taken");
                while (System.in.read() >= 0) {
                    // until the parent closes the pipe
                }
            } catch (StoreLockedException e) {
                answer(Long.toString(e.ownerPid()));
            }
        }
    }

    private static void answer(String line) throws IOException {
        try (FileOutputStream out = new FileOutputStream(FileDescriptor.out)) {
            out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void second_lock_in_this_process_is_refused_by_any_path() throws IOException {
        RealStorage storage = new RealStorage(directory);
        Path alias = directory.resolveSibling(directory.getFileName() + "-alias");
        Files.createSymbolicLink(alias, directory);
        try (StorageLock _ = storage.lock("LOCK")) {
            assertEquals(1, storage.openResources());
            for (Path path : List.of(directory, alias, directory.resolve("."))) {
                StoreLockedException locked =
                        assertThrows(StoreLockedException.class, () -> new RealStorage(path).lock("LOCK"));
                assertEquals(ProcessHandle.current().pid(), locked.ownerPid());
                assertTrue(String.valueOf(locked.getMessage()).contains("this process"));
            }
        } finally {
            Files.delete(alias);
        }
        assertEquals(0, storage.openResources());
        storage.lock("LOCK").close();
    }

    @Test
    void another_process_is_refused_while_the_lock_is_held_and_only_then() throws Exception {
        RealStorage storage = new RealStorage(directory);
        try (StorageLock _ = storage.lock("LOCK")) {
            assertThrows(StoreLockedException.class, () -> storage.lock("LOCK"));
            assertEquals(Long.toString(ProcessHandle.current().pid()), answerOfAnother());
        }
        Process other = start();
        try (BufferedReader answers = other.inputReader(StandardCharsets.UTF_8)) {
            assertEquals("taken", answers.readLine());
            StoreLockedException locked = assertThrows(StoreLockedException.class, () -> storage.lock("LOCK"));
            assertEquals(other.pid(), locked.ownerPid());
            assertTrue(String.valueOf(locked.getMessage()).contains("process " + other.pid()));
        } finally {
            other.destroyForcibly().waitFor(60, TimeUnit.SECONDS);
        }
        storage.lock("LOCK").close();
        assertEquals(0, storage.openResources());
    }

    private String answerOfAnother() throws IOException {
        Process other = start();
        try (BufferedReader answers = other.inputReader(StandardCharsets.UTF_8)) {
            return String.valueOf(answers.readLine());
        } finally {
            other.destroyForcibly();
        }
    }

    private Process start() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Xshare:auto",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Other.class.getName(),
                        directory.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Of files that are opened in vain as few stay open as there are kinds of locks: each is used for the next attempt. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void attempts_in_vain_take_no_descriptors() throws IOException {
        Path file = directory.resolve("LOCK");
        RealStorage storage = new RealStorage(directory);
        try (FileChannel others = FileChannel.open(
                        file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
                FileLock _ = others.lock()) {
            for (int i = 0; i < 100; i++) {
                assertThrows(StoreLockedException.class, () -> storage.lock("LOCK"));
            }
            long open = descriptorsOf(file.toRealPath());
            assertTrue(open <= 1 + 2, open + " descriptors, one of them of the owner");
        }
    }

    private static long descriptorsOf(Path file) throws IOException {
        long count = 0;
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path one : all) {
                try {
                    count += Files.readSymbolicLink(one).equals(file) ? 1 : 0;
                } catch (NoSuchFileException e) {
                    // the one through which they are listed
                }
            }
        }
        return count;
    }

    @Test
    void another_class_loader_is_refused_and_does_not_drop_the_lock() throws Exception {
        RealStorage storage = new RealStorage(directory);
        try (StorageLock _ = storage.lock("LOCK");
                URLClassLoader loader = new URLClassLoader(classPath(), null)) {
            Class<?> copy = loader.loadClass(RealStorage.class.getName());
            assertTrue(copy != RealStorage.class);
            Object second = copy.getConstructor(Path.class).newInstance(directory);
            var method = copy.getMethod("lock", String.class);
            Exception refused = assertThrows(Exception.class, () -> method.invoke(second, "LOCK"));
            assertTrue(String.valueOf(refused.getCause()).contains("StoreLockedException"));
            assertEquals(Long.toString(ProcessHandle.current().pid()), answerOfAnother());
        }
    }

    private static URL[] classPath() throws IOException {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        return urls.toArray(URL[]::new);
    }
}
