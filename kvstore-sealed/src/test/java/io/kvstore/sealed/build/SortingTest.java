package io.kvstore.sealed.build;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.engine.Progress;
import io.kvstore.engine.TableFileSettings;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.StoreLockedException;
import io.kvstore.io.Storage;
import io.kvstore.sealed.read.SealedFile;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Temporary files of a build, and the bounds of what it takes. */
final class SortingTest {

    private static final String PATH = "table.sealed";
    private static final int LEAST_SORT_BYTES = 1 << 20;
    private static final int VALUE_BYTES = 20_000;

    private final SimStorage disk = new SimStorage();

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    /** Values that are longer than half a part of the buffer's memory take a part each. */
    @Test
    void a_buffer_is_full_when_its_memory_is_taken() {
        for (int valueBytes : new int[] {0, 100, 33_000, 65_000, 70_000, 600_000, 3_000_000}) {
            SortBuffer buffer = new SortBuffer(LEAST_SORT_BYTES);
            for (int round = 0; round < 3; round++) {
                while (!buffer.isFull()) {
                    buffer.add(key(buffer.count()), new byte[valueBytes]);
                }
                long most = (long) LEAST_SORT_BYTES + Math.max(valueBytes + Integer.BYTES, LEAST_SORT_BYTES / 16);
                assertTrue(buffer.heldBytes() <= most, () -> buffer.heldBytes() + " bytes for values of " + valueBytes);
                assertTrue(
                        (long) buffer.count() * (valueBytes + 60) > LEAST_SORT_BYTES / 3,
                        () -> buffer.count() + " values of " + valueBytes);
                buffer.clear();
            }
        }
    }

    @Test
    void more_runs_than_can_be_merged_are_refused_with_what_can_be_done() throws IOException {
        TableFileSettings settings = TableFileSettings.USUAL.withSortMemoryBytes(LEAST_SORT_BYTES);
        byte[] large = new byte[LEAST_SORT_BYTES];
        try (SealedFileWriter writer = SealedFileWriter.create(swallowing(), PATH, settings)) {
            InvalidRequestException refused = assertThrows(InvalidRequestException.class, () -> {
                for (int i = 2_000; i > 0; i--) {
                    writer.put(key(i), large);
                }
            });
            String message = String.valueOf(refused.getMessage());
            assertTrue(message.startsWith("sorting has made 1024 runs of "), message);
            assertTrue(message.endsWith("double sortMemoryBytes, or give keys that ascend"), message);
        }
        assertEquals(List.of(), disk.files());
        assertEquals(0, disk.openResources());
    }

    /** A storage that keeps no bytes that are written. */
    private Storage swallowing() {
        return HookedStorage.over(disk, (name, path, proceed) -> name.equals("write") ? null : proceed.call());
    }

    /** Damage of records and numbers that wait in temporary files. */
    @Test
    void damage_of_temporary_files_is_found_before_it_gets_into_the_file() throws IOException {
        Random random = new Random(5);
        int found = 0;
        for (int round = 0; round < 150; round++) {
            found += isFound(new SimStorage(), random) ? 1 : 0;
        }
        assertTrue(found > 75, found + " found");
    }

    /** Builds a file, one bit of whose temporary files is flipped. Keys differ by few bits, so a wrong one is another's. */
    private static boolean isFound(SimStorage disk, Random random) throws IOException {
        TableFileSettings settings = TableFileSettings.USUAL.withSortMemoryBytes(LEAST_SORT_BYTES);
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < 256; i++) {
            numbers.add(i);
        }
        Collections.shuffle(numbers, random);
        numbers.sort((one, other) -> Boolean.compare(one >= 20, other >= 20)); // some run before any is sorted
        Collections.sort(numbers.subList(0, 20));
        byte[] value = new byte[VALUE_BYTES];
        try (SealedFileWriter writer = SealedFileWriter.create(disk, PATH, settings)) {
            for (int number : numbers) {
                writer.put(new byte[] {(byte) number}, value);
            }
            flip(disk, random);
            writer.finish(Progress.NONE);
        } catch (CorruptionException e) {
            return true;
        }
        try (SealedFile file = SealedFile.open(disk, PATH, disk::mapReadOnly)) {
            assertEquals(256, file.info().entries());
            for (int number : numbers) {
                assertArrayEquals(value, file.get(new byte[] {(byte) number}));
            }
        }
        return false;
    }

    /** Flips a bit of a front of a record, which its value would seldom be. */
    private static void flip(SimStorage disk, Random random) throws IOException {
        List<String> files = new ArrayList<>(disk.files());
        files.removeIf(file -> file.equals(PATH) || !file.matches(".*-(direct|runs)\\.tmp"));
        String file = files.get(random.nextInt(files.size()));
        byte[] bytes = disk.bytes(file);
        if (bytes.length > 0) {
            int front = random.nextInt(Math.max(1, bytes.length / VALUE_BYTES)) * (VALUE_BYTES + 9);
            int start = file.endsWith("-direct.tmp") ? 4 << 10 : 0;
            int at = Math.min(bytes.length - 1, start + front + random.nextInt(9));
            bytes[at] ^= (byte) (1 << random.nextInt(8));
            disk.replace(file, bytes);
        }
    }

    /** 256 streams of which some have more than one piece. */
    @Test
    void damage_of_temporary_numbers_is_found() throws IOException {
        for (String purpose : List.of("directlocator", "directfences")) {
            byte[] value = new byte[20];
            try (SealedFileWriter writer = SealedFileWriter.create(disk, PATH, TableFileSettings.USUAL)) {
                for (int i = 0; i < 300_000; i++) {
                    writer.put(key(i), value);
                }
                String file = disk.files().stream()
                        .filter(name -> name.contains(purpose))
                        .findFirst()
                        .orElseThrow();
                byte[] bytes = disk.bytes(file);
                bytes[bytes.length / 2] ^= 1;
                disk.replace(file, bytes);
                CorruptionException found = assertThrows(CorruptionException.class, () -> writer.finish(Progress.NONE));
                assertEquals(file, found.file());
            }
            assertEquals(List.of(), disk.files());
        }
    }

    /** Another process that sweeps may lock the new lock file, or delete it, before it is locked. */
    @Test
    void a_name_that_another_process_takes_for_a_dead_one_is_not_used() throws IOException {
        for (boolean isDeleted : new boolean[] {false, true}) {
            List<String> locked = new ArrayList<>();
            Storage storage = HookedStorage.over(disk, (name, path, proceed) -> {
                if (!name.equals("lock")) {
                    return proceed.call();
                }
                locked.add(path);
                if (locked.size() == 1 && !isDeleted) {
                    throw new StoreLockedException(1, path + " is locked");
                }
                Object lock = proceed.call();
                if (locked.size() == 1) {
                    disk.delete(path);
                }
                return lock;
            });
            try (SealedFileWriter writer = SealedFileWriter.create(storage, PATH, TableFileSettings.USUAL)) {
                assertEquals(2, locked.size());
                assertTrue(disk.exists(locked.getLast()));
                assertTrue(disk.files().stream()
                        .allMatch(file -> file.equals(PATH) || file.startsWith(stem(locked.getLast()))));
                writer.finish(Progress.NONE);
            }
            assertEquals(List.of(PATH), disk.files());
            assertEquals(0, disk.openResources());
        }
    }

    private static String stem(String lock) {
        return lock.substring(0, lock.length() - ".tmp".length());
    }

    @Test
    void keys_that_are_equal_in_several_runs() throws IOException {
        TableFileSettings settings = TableFileSettings.USUAL.withSortMemoryBytes(LEAST_SORT_BYTES);
        try (SealedFileWriter writer = SealedFileWriter.create(disk, PATH, settings)) {
            for (int round = 0; round < 40; round++) {
                byte[] value = new byte[VALUE_BYTES];
                Arrays.fill(value, (byte) round);
                for (int number = 9; number >= 0; number--) {
                    writer.put(key(number), value);
                    writer.put(key(number), new byte[] {(byte) round, (byte) number});
                }
            }
            writer.finish(Progress.NONE);
        }
        try (SealedFile file = SealedFile.open(disk, PATH, disk::mapReadOnly)) {
            assertEquals(10, file.info().entries());
            for (int number = 0; number < 10; number++) {
                assertArrayEquals(new byte[] {39, (byte) number}, file.get(key(number)));
            }
        }
    }
}
