package io.kvstore.lsm.version;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bytes.Slice;
import io.kvstore.data.Mutation;
import io.kvstore.engine.DiskRoom;
import io.kvstore.engine.TableContext;
import io.kvstore.io.Storage;
import io.kvstore.lsm.memtable.MemTable;
import io.kvstore.lsm.memtable.MemTableMemory;
import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.lsm.options.SeparatedValues;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.LoneTable;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import io.kvstore.value.ValueLog;
import io.kvstore.value.append.NewSegment;
import io.kvstore.value.append.StoredSegment;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which files of value segments count as dead, for writers that have to wait. */
final class SpaceDebtTest {

    private static final int VALUE_BYTES = 100_000;

    private final SimStorage disk = new SimStorage();
    private final Storage hooked = HookedStorage.over(disk, (name, path, proceed) -> {
        Runnable work = name.startsWith("write") ? takeAtWrite() : null;
        if (work != null) {
            work.run();
        }
        return proceed.call();
    });
    private final MemoryBudget memory = new MemoryBudget(64 << 20, 64 << 20);
    private final StepClock clock = new StepClock();
    private final TableContext context = LoneTable.on(hooked, memory, clock, new StepBackground(clock));
    private final LsmOptions options =
            new LsmOptions(1 << 20, 100, 0.01, 24, 256, null, LsmOptions.usualSlackBytes(1 << 20));
    private final DataFiles files = new DataFiles(context, options);
    private final SeparatedValues apart = SeparatedValues.of(context, options, files::takeNumber);
    private final ValueLog log = apart.log();
    private @Nullable Runnable atWrite;
    private @Nullable VersionHistory versions;
    private int added;

    private @Nullable Runnable takeAtWrite() {
        Runnable work = atWrite;
        atWrite = null;
        return work;
    }

    @BeforeEach
    void makeDirectory() throws IOException {
        disk.createDirectory(LoneTable.DIRECTORY);
    }

    private SpaceDebt open() throws IOException {
        DiskRoom room = new DiskRoom(disk);
        MemTable active = new MemTable(new MemTableMemory(memory, true), options, apart);
        Version first = Version.of(() -> options, room, active, new VersionSet(context, files, log).open());
        VersionHistory opened = new VersionHistory(context.epochs(), first);
        versions = opened;
        return new SpaceDebt(context, () -> options, log, room, opened);
    }

    @AfterEach
    void close() throws IOException {
        if (versions != null) {
            versions.close();
        }
        apart.known().close();
        log.close();
        assertEquals(0, disk.openResources());
    }

    private StoredSegment put() throws IOException {
        byte[] key = {(byte) added++};
        log.reserve(List.of(new Mutation.Put(key, new byte[VALUE_BYTES])), 0);
        log.add(key, 1, new byte[VALUE_BYTES]);
        log.seal();
        log.write();
        return log.segments().getLast();
    }

    private Version version() {
        if (versions == null) {
            throw new IllegalStateException("not open");
        }
        return versions.current();
    }

    @Test
    void a_segment_without_pointers_is_dead_and_the_output_of_a_job_has_its_room_in_the_limit() throws IOException {
        SpaceDebt debt = open();
        assertEquals(0, debt.deadBytes(version()));
        long bytes = put().end();
        assertEquals(bytes, debt.deadBytes(version()));
        assertEquals(bytes, debt.comingBytes(version()));
        try (NewSegment job = log.newSegment()) {
            job.append(Slice.of(new byte[] {99}), 1, Slice.of(new byte[VALUE_BYTES]));
            StoredSegment output = job.finish();
            assertTrue(output.end() > VALUE_BYTES);
            assertEquals(bytes, debt.deadBytes(version()));
            output.release();
        }
        StoredSegment emptied = put();
        emptied.markEmptied();
        assertEquals(bytes, debt.deadBytes(version()), "somebody reads it still, and no job can bring its space back");
    }

    @Test
    void a_file_whose_deletion_waits_for_a_write_is_dead_until_then() throws IOException {
        SpaceDebt debt = open();
        StoredSegment going = put();
        going.markEmptied();
        long[] during = new long[1];
        atWrite = () -> {
            Thread other = Thread.ofPlatform().start(going::release);
            try {
                other.join(60_000);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            assertFalse(other.isAlive(), "it waits for the write");
            during[0] = debt.deadBytes(version()) - log.waitingBytes();
        };
        long bytes = put().end();
        assertEquals(going.end(), during[0]);
        assertEquals(bytes, debt.deadBytes(version()));
    }
}
