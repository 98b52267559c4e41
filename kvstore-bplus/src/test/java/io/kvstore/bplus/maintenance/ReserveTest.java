package io.kvstore.bplus.maintenance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.io.NoSpaceException;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.testkit.LoneTable;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StepBackground;
import io.kvstore.testkit.StepClock;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ReserveTest {

    private static final long SLACK_BYTES = 8 << 20;
    private static final String PATH = LoneTable.DIRECTORY + "/" + Reserve.NAME;

    private final SimStorage disk = new SimStorage();

    private Reserve open() throws IOException {
        StepClock clock = new StepClock();
        return new Reserve(
                LoneTable.on(disk, new MemoryBudget(1 << 20, 1 << 20), clock, new StepBackground(clock)), SLACK_BYTES);
    }

    @BeforeEach
    void makeDirectory() throws IOException {
        disk.createDirectory(LoneTable.DIRECTORY);
    }

    @Test
    void small_table_has_none() throws IOException {
        Reserve reserve = open();
        reserve.take(Reserve.LEAST_TABLE_BYTES - 1);
        assertFalse(disk.exists(PATH));
        assertFalse(reserve.giveUp());
    }

    @Test
    void who_finds_the_disk_full_has_its_room_once() throws IOException {
        Reserve reserve = open();
        reserve.take(Reserve.LEAST_TABLE_BYTES);
        assertEquals(SLACK_BYTES / 4, disk.sizeOf(PATH));
        int[] tries = new int[1];
        reserve.with(() -> {
            tries[0]++;
            if (disk.exists(PATH)) {
                throw new NoSpaceException("planted");
            }
        });
        assertEquals(2, tries[0]);
        assertThrows(
                NoSpaceException.class,
                () -> reserve.with(() -> {
                    throw new NoSpaceException("planted");
                }));
        reserve.take(Reserve.LEAST_TABLE_BYTES);
        assertTrue(open().giveUp(), "it is found when the table is opened again");
    }

    @Test
    void where_there_is_no_room_for_it_nothing_of_it_stays() throws IOException {
        disk.setCapacity(SLACK_BYTES / 8);
        Reserve reserve = open();
        reserve.take(Reserve.LEAST_TABLE_BYTES);
        assertFalse(disk.exists(PATH));
        assertEquals(SLACK_BYTES / 8, disk.freeBytes());
    }
}
