package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Mutation;
import io.kvstore.engine.FileHold;
import io.kvstore.engine.HeldFile;
import io.kvstore.engine.Progress;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.Storage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is held of a table is the state at its lsn, whatever the table does until it is copied. */
public abstract class HoldsContract extends EngineContract {

    private static final int HISTORIES = 12;
    private static final int STEPS = 120;
    private static final int KEYS = 120;
    private static final int MOST_HOLDS = 3;

    private final SimStorage disk = new SimStorage();

    @Override
    protected final Storage storage() {
        return new FaultyStorage(disk);
    }

    /** Whether a hold keeps the bytes themselves. */
    protected boolean isHeldInMemory() {
        return false;
    }

    private static byte[] key(long number) {
        return ("key" + number).getBytes(StandardCharsets.US_ASCII);
    }

    private static List<Mutation> operation(SplittableRandom random) {
        List<Mutation> operation = new ArrayList<>();
        for (int i = random.nextInt(1, 12); i > 0; i--) {
            byte[] key = key(random.nextInt(KEYS));
            byte[] value = new byte[random.nextInt(10) == 0 ? random.nextInt(9_000) : random.nextInt(600)];
            random.nextBytes(value);
            operation.add(random.nextInt(5) == 0 ? new Mutation.Remove(key) : new Mutation.Put(key, value));
        }
        return operation;
    }

    /** Fails unless a copy of a hold is the table at the lsn of the hold. */
    private static void check(EngineHarness table, FileHold hold, int pieceBytes) throws IOException {
        SimStorage copy = HeldCopy.of(hold, pieceBytes);
        try (EngineHarness opened = table.after(copy, hold.lsn())) {
            assertEquals(hold.lsn(), opened.engine().durableLsn());
            opened.check();
        }
    }

    @Test
    void copies_of_holds_are_the_states_at_their_lsns() throws IOException {
        for (long seed = 1; seed <= HISTORIES; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            EngineHarness table = EngineHarness.create(provider(), properties(), new FaultyStorage(new SimStorage()));
            List<FileHold> holds = new ArrayList<>();
            for (int step = 0; step < STEPS; step++) {
                switch (random.nextInt(8)) {
                    case 0 -> {
                        table.engine().checkpoint();
                        if (holds.size() < MOST_HOLDS) {
                            holds.add(table.engine().hold());
                        }
                    }
                    case 1 -> table.engine().checkpoint();
                    case 2 -> {
                        if (random.nextInt(6) == 0) {
                            table.engine().optimize(Progress.NONE);
                        }
                    }
                    case 3 -> {
                        if (!holds.isEmpty()) {
                            FileHold hold = holds.remove(random.nextInt(holds.size()));
                            check(table, hold, random.nextInt(1, 1 << 16));
                            hold.close();
                            hold.close();
                        }
                    }
                    default -> {
                        table.write(operation(random));
                    }
                }
            }
            for (FileHold hold : holds) {
                check(table, hold, 1 << 20);
                hold.close();
            }
            table.check();
            table.reopen();
            table.check();
            table.close();
        }
    }

    /** Space that is held comes back when the hold is closed, and is not the debt of the table. */
    @Test
    void what_was_held_goes_with_the_hold() throws IOException {
        EngineHarness table = open();
        SplittableRandom random = new SplittableRandom(7);
        fill(table, random);
        table.engine().checkpoint();
        FileHold hold = table.engine().hold();
        assertEquals(0, hold.pinnedBytes(), "nothing was replaced yet");
        replaceAll(table, random);
        long held = bytesOnDisk();
        check(table, hold, 1 << 20);
        hold.close();
        fill(table, random);
        table.engine().checkpoint();
        table.engine().optimize(Progress.NONE);
        table.engine().checkpoint();
        long left = bytesOnDisk();
        assertTrue(left < held || hold.pinnedBytes() == 0, left + " bytes are left of " + held);
    }

    private long bytesOnDisk() throws IOException {
        long bytes = 0;
        for (String file : disk.files()) {
            bytes += disk.sizeOf(file);
        }
        return bytes;
    }

    private static void fill(EngineHarness table, SplittableRandom random) throws IOException {
        for (int i = 0; i < KEYS; i++) {
            byte[] value = new byte[1_000 + random.nextInt(1_000)];
            random.nextBytes(value);
            table.put(key(i), value);
        }
    }

    /** A file stays until it is let go itself, whatever became of the others, and goes then. */
    @Test
    void each_file_stays_until_it_is_let_go() throws IOException {
        EngineHarness table = open();
        SplittableRandom random = new SplittableRandom(17);
        fill(table, random);
        table.engine().checkpoint();
        try (FileHold hold = table.engine().hold()) {
            Map<HeldFile, byte[]> left = new LinkedHashMap<>();
            for (HeldFile file : hold.files()) {
                left.put(file, HeldCopy.bytes(file, 10_000));
            }
            replaceAll(table, random);
            assertTrue(hold.pinnedBytes() > 0 || isHeldInMemory(), "the table gave nothing up");
            while (!left.isEmpty()) {
                HeldFile gone = left.keySet().stream()
                        .skip(random.nextInt(left.size()))
                        .findFirst()
                        .orElseThrow();
                left.remove(gone);
                letGo(table, hold, gone);
                for (Map.Entry<HeldFile, byte[]> each : left.entrySet()) {
                    assertArrayEquals(each.getValue(), HeldCopy.bytes(each.getKey(), 10_000));
                }
            }
            assertEquals(0, hold.pinnedBytes());
        }
        table.check();
        table.close();
    }

    private static void replaceAll(EngineHarness table, SplittableRandom random) throws IOException {
        for (int round = 0; round < 4; round++) {
            fill(table, random);
            table.engine().checkpoint();
            table.engine().optimize(Progress.NONE);
        }
        table.engine().checkpoint();
    }

    private void letGo(EngineHarness table, FileHold hold, HeldFile file) throws IOException {
        long pinned = hold.pinnedBytes();
        long own = file.lease().pinnedBytes();
        file.lease().giveBack();
        file.lease().giveBack();
        assertEquals(0, file.lease().pinnedBytes());
        assertEquals(pinned - own, hold.pinnedBytes());
        try (FileHold now = table.engine().hold()) {
            if (own > 0 && now.files().stream().noneMatch(each -> each.name().equals(file.name()))) {
                assertFalse(disk.files().contains(EngineHarness.DIRECTORY + "/" + file.name()), file.name());
            }
        }
    }

    /** One thread writes and makes checkpoints while another one holds and copies. */
    @Test
    void copies_beside_a_writer() throws Exception {
        EngineHarness table = open();
        AtomicBoolean stopped = new AtomicBoolean();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        fill(table, new SplittableRandom(3));
        table.engine().checkpoint();
        Thread writer = new Thread(() -> {
            try {
                SplittableRandom random = new SplittableRandom(5);
                while (!stopped.get()) {
                    table.write(operation(random));
                    if (random.nextInt(20) == 0) {
                        table.engine().checkpoint();
                    }
                }
            } catch (Throwable e) {
                failure.set(e);
            }
        });
        writer.start();
        List<FileHold> holds = new ArrayList<>();
        List<SimStorage> copies = new ArrayList<>();
        try {
            for (int i = 0; i < 30; i++) {
                FileHold hold = table.engine().hold();
                holds.add(hold);
                copies.add(HeldCopy.of(hold, 10_000));
                hold.close();
            }
        } finally {
            stopped.set(true);
            writer.join();
        }
        assertEquals(null, failure.get());
        for (int i = 0; i < holds.size(); i++) {
            try (EngineHarness opened = table.after(copies.get(i), holds.get(i).lsn())) {
                opened.check();
            }
        }
    }

    /** A flipped bit of a file is found while it is read, or is none of those that count. */
    @Test
    void damage_is_found_by_who_reads() throws IOException {
        EngineHarness table = open();
        SplittableRandom random = new SplittableRandom(11);
        fill(table, random);
        table.engine().checkpoint();
        table.engine().optimize(Progress.NONE);
        try (FileHold hold = table.engine().hold()) {
            int found = 0;
            for (int i = 0; i < 60; i++) {
                HeldFile file = hold.files().get(random.nextInt(hold.files().size()));
                String path = EngineHarness.DIRECTORY + "/" + file.name();
                byte[] sound = disk.bytes(path);
                byte[] copy = HeldCopy.bytes(file, 4_096);
                byte[] damaged = sound.clone();
                damaged[random.nextInt(sound.length)] ^= (byte) (1 << random.nextInt(8));
                disk.replace(path, damaged);
                try {
                    assertArrayEquals(copy, HeldCopy.bytes(file, 4_096), "a damaged byte of " + path + " was copied");
                } catch (CorruptionException e) {
                    assertEquals(path, e.file());
                    found++;
                } finally {
                    disk.replace(path, sound);
                }
            }
            assertTrue(found > 20 || isHeldInMemory(), "only " + found + " were found");
        }
    }
}
