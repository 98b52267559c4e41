package io.kvstore.sealed;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.CurrentTableFile;
import io.kvstore.Cursor;
import io.kvstore.TableFile;
import io.kvstore.TableFileBuilder;
import io.kvstore.data.KeyRange;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.OverloadedException;
import io.kvstore.error.StoreClosedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Files that are read by a name which other files get. */
final class CurrentTableFileTest {

    private static final int ENTRIES = 500;

    @TempDir
    private Path directory;

    private Path name() {
        return directory.resolve("current.sealed");
    }

    private void build(Path file, int generation) {
        try (TableFileBuilder builder = TableFileBuilder.create(file)) {
            byte[] value = Integer.toString(generation).getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < ENTRIES; i++) {
                builder.put("key" + i, value);
            }
            builder.finish();
        }
    }

    private static String text(byte @Nullable [] bytes) {
        return bytes == null ? "absent" : new String(bytes, StandardCharsets.UTF_8);
    }

    @Test
    void another_file_gets_the_name() {
        build(name(), 1);
        try (CurrentTableFile file = CurrentTableFile.open(name())) {
            assertFalse(file.refresh());
            build(name(), 2);
            assertEquals("1", text(file.get("key1")));
            assertTrue(file.refresh());
            assertEquals("2", text(file.get("key1")));
            assertEquals("absent", text(file.get("none")));
            assertFalse(file.contains("none".getBytes(StandardCharsets.UTF_8)));
            assertEquals(ENTRIES, file.count(KeyRange.all()));
            assertFalse(file.refresh());
        }
    }

    @Test
    void a_link_leads_to_another_file() throws IOException {
        build(directory.resolve("one.sealed"), 1);
        build(directory.resolve("two.sealed"), 2);
        Files.createSymbolicLink(name(), Path.of("one.sealed"));
        try (CurrentTableFile file = CurrentTableFile.open(name())) {
            Files.createSymbolicLink(directory.resolve("next"), Path.of("two.sealed"));
            Files.move(directory.resolve("next"), name(), StandardCopyOption.ATOMIC_MOVE);
            assertTrue(file.refresh());
            assertEquals("2", text(file.get("key1")));
        }
    }

    /** A file is read to its end by a call that has it, however many files got the name meanwhile, and is then closed. */
    @Test
    void a_file_stays_open_until_its_last_call_has_left() {
        build(name(), 1);
        AtomicReference<@Nullable TableFile> seen = new AtomicReference<>();
        try (CurrentTableFile file = CurrentTableFile.open(name())) {
            int found = file.read(first -> {
                seen.set(first);
                int count = 0;
                for (Cursor entries = first.scan(KeyRange.all()); entries.next(); count++) {
                    assertEquals("1", text(entries.value()));
                    if (count == 10) {
                        build(name(), 2);
                        assertTrue(file.refresh());
                    }
                }
                return count;
            });
            assertEquals(ENTRIES, found);
            TableFile first = requireNonNull(seen.get());
            assertEquals("1", text(first.get("key1")));
            assertFalse(file.refresh()); // the call has left
            assertFalse(file.refresh());
            assertThrows(StoreClosedException.class, () -> first.get("key1"));
            assertEquals("2", text(file.get("key1")));
        }
    }

    @Test
    void old_files_have_a_bound() {
        build(name(), 0);
        try (CurrentTableFile file = CurrentTableFile.open(name())) {
            file.read(first -> {
                for (int generation = 1; generation <= 8; generation++) {
                    build(name(), generation);
                    assertTrue(file.refresh());
                    assertEquals(Integer.toString(generation), text(file.get("key1")));
                }
                build(name(), 9);
                OverloadedException refused = assertThrows(OverloadedException.class, file::refresh);
                assertTrue(requireNonNull(refused.getMessage()).startsWith("8 files that had the name"));
                assertEquals("8", text(file.get("key1")));
                return first.count(KeyRange.all());
            });
            assertTrue(file.refresh());
            assertEquals("9", text(file.get("key1")));
        }
    }

    @Test
    void a_damaged_file_does_not_take_the_place_of_a_sound_one() throws IOException {
        build(name(), 1);
        try (CurrentTableFile file = CurrentTableFile.open(name())) {
            build(directory.resolve("half"), 2);
            byte[] all = Files.readAllBytes(directory.resolve("half"));
            Files.write(directory.resolve("half"), Arrays.copyOf(all, all.length / 2));
            Files.move(directory.resolve("half"), name(), StandardCopyOption.REPLACE_EXISTING);
            assertThrows(CorruptionException.class, file::refresh);
            assertEquals("1", text(file.get("key1")));
            Files.delete(name());
            assertThrows(KVStoreException.class, file::refresh);
            assertEquals("1", text(file.get("key1")));
            build(name(), 3);
            assertTrue(file.refresh());
            assertEquals("3", text(file.get("key1")));
        }
    }

    @Test
    void a_file_that_is_followed() throws Exception {
        build(name(), 1);
        try (CurrentTableFile file = CurrentTableFile.following(name(), Duration.ofMillis(10))) {
            build(name(), 2);
            await(() -> text(file.get("key1")).equals("2"));
            Files.write(directory.resolve("bad"), new byte[10]);
            Files.move(directory.resolve("bad"), name(), StandardCopyOption.REPLACE_EXISTING);
            await(() -> file.failure() != null);
            assertInstanceOf(CorruptionException.class, file.failure());
            assertEquals("2", text(file.get("key1")));
            build(name(), 3);
            await(() -> text(file.get("key1")).equals("3"));
            await(() -> file.failure() == null);
        }
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        for (int looks = 0; looks < 6_000 && !condition.getAsBoolean(); looks++) {
            boolean _ = never.await(10, TimeUnit.MILLISECONDS);
        }
        assertTrue(condition.getAsBoolean());
    }

    @Test
    void calls_beside_files_that_get_the_name() throws InterruptedException {
        build(name(), 0);
        AtomicBoolean stop = new AtomicBoolean();
        AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
        try (CurrentTableFile file = CurrentTableFile.open(name())) {
            List<Thread> readers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                readers.add(Thread.ofPlatform().start(() -> {
                    try {
                        int newest = 0;
                        while (!stop.get()) {
                            int found = Integer.parseInt(text(file.get("key7")));
                            assertTrue(found >= newest, found + " after " + newest);
                            newest = found;
                        }
                    } catch (Throwable e) {
                        failed.set(e);
                    }
                }));
            }
            for (int generation = 1; generation <= 50 && failed.get() == null; generation++) {
                build(name(), generation);
                assertTrue(file.refresh());
            }
            stop.set(true);
            for (Thread reader : readers) {
                reader.join();
            }
        }
        assertNull(failed.get());
    }

    @Test
    void a_closed_file_says_so() {
        build(name(), 1);
        CurrentTableFile file = CurrentTableFile.open(name());
        file.close();
        file.close();
        assertThrows(StoreClosedException.class, () -> file.get("key1"));
        assertThrows(StoreClosedException.class, file::refresh);
    }

    @Test
    void the_interval_has_a_least_length() {
        build(name(), 1);
        assertThrows(
                InvalidRequestException.class, () -> CurrentTableFile.following(name(), Duration.ofNanos(9_999_999)));
        CurrentTableFile.following(name(), Duration.ofMillis(10)).close();
        CurrentTableFile.following(name(), Duration.ofMillis(11)).close();
    }

    @Test
    void a_name_that_no_table_file_can_have_is_refused() throws IOException {
        Path file = directory.resolve("a\\b.sealed");
        String refusal = file + " has a backslash in its name, which no table file can have; give it another name";
        assertEquals(refusal, refused(() -> TableFileBuilder.create(file)));
        Files.write(file, new byte[100]);
        assertEquals(refusal, refused(() -> TableFile.open(file)));
        for (String none : List.of(".", "..")) {
            assertTrue(refused(() -> TableFileBuilder.create(directory.resolve(none)))
                    .endsWith(" is not the name of a file"));
        }
    }

    private static String refused(Executable call) {
        return String.valueOf(assertThrows(InvalidRequestException.class, call).getMessage());
    }

    /** As long as never: no number of nanoseconds is as long. */
    @Test
    void the_interval_has_no_greatest_length() {
        build(name(), 1);
        try (CurrentTableFile file = CurrentTableFile.following(name(), Duration.ofSeconds(Long.MAX_VALUE))) {
            build(name(), 2);
            assertTrue(file.refresh());
            assertEquals("2", text(file.get("key1")));
        }
    }
}
