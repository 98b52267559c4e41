package io.kvstore.lsm.version;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Mutation;
import io.kvstore.engine.TableContext;
import io.kvstore.lsm.entry.EntryCursor;
import io.kvstore.lsm.memtable.MemTable;
import io.kvstore.lsm.memtable.MemTableMemory;
import io.kvstore.lsm.options.LsmOptions;
import io.kvstore.lsm.options.SeparatedValues;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.testkit.LoneTable;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When the file of an SSTable is closed, and when it is deleted. */
final class TableFileTest {

    private final SimStorage disk = new SimStorage();
    private final MemoryBudget memory = new MemoryBudget(64 << 20, 64 << 20);
    private final StepClock clock = new StepClock();
    private final TableContext context = LoneTable.on(disk, memory, clock, new StepBackground(clock));
    private final LsmOptions options =
            new LsmOptions(1 << 20, 100, 0.01, 24, 256, null, LsmOptions.usualSlackBytes(1 << 20));
    private final SeparatedValues apart = SeparatedValues.of(context, options, () -> 1);
    private final MemTable memTable = new MemTable(new MemTableMemory(memory, true), options, apart);
    private final DataFiles files = new DataFiles(context, options);

    @BeforeEach
    void fill() throws IOException {
        disk.createDirectory(LoneTable.DIRECTORY);
        List<Mutation> mutations = List.of(new Mutation.Put(new byte[] {1}, new byte[] {2}));
        memTable.retain();
        assertTrue(memTable.reserve(mutations, false));
        memTable.apply(1, mutations);
    }

    @AfterEach
    void close() throws IOException {
        memTable.release();
        apart.known().close();
        apart.log().close();
        assertEquals(0, disk.openResources());
    }

    private TableFile write() throws IOException {
        try (DataFiles.NewTable table = files.createTable()) {
            EntryCursor entries = memTable.cursor(false);
            assertTrue(entries.seek(null, true));
            table.writer().add(entries);
            return table.finish();
        }
    }

    private int filesLeft() throws IOException {
        return disk.list(LoneTable.DIRECTORY).size();
    }

    @Test
    void a_new_file_that_is_given_up_is_deleted_unless_a_manifest_may_name_it() throws IOException {
        TableFile unnamed = write();
        unnamed.abandon();
        unnamed.abandon();
        assertEquals(0, filesLeft());
        TableFile named = write();
        named.setNamed(true);
        named.abandon();
        named.abandon();
        assertEquals(1, filesLeft());
        TableFile surelyNot = write();
        surelyNot.setNamed(true);
        surelyNot.setNamed(false);
        surelyNot.abandon();
        assertEquals(1, filesLeft());
    }

    @Test
    void the_last_version_takes_an_obsolete_file_with_it() throws IOException {
        TableFile file = write();
        file.setNamed(true);
        file.retain();
        file.retain();
        file.abandon();
        file.markObsolete();
        file.release();
        assertTrue(file.isLeaving());
        assertEquals(1, filesLeft());
        file.release();
        assertEquals(0, filesLeft());
        TableFile kept = write();
        kept.retain();
        kept.release();
        assertEquals(1, filesLeft());
    }
}
