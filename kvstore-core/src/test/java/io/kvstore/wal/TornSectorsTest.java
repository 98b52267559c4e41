package io.kvstore.wal;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.error.CorruptionException;
import io.kvstore.testkit.CrashChoice;
import io.kvstore.testkit.Seeds;
import io.kvstore.testkit.SimStorage;
import io.kvstore.wal.segment.LogConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A sector that is being written when the power fails may hold anything. So the log never writes into a sector that has
 * durable bytes. The name of the next segment has a sector of its own, too, with or without a spare segment at the last sync.
 */
final class TornSectorsTest {

    private static final int RECORDS = 8;
    private static final int[] MOST_BYTES = {100, 5_000, 65_000, 90_000};

    private final SplittableRandom random = new SplittableRandom(1);
    private SimStorage disk = new SimStorage();
    private LogBench bench;
    private long syncedLsn;
    private int images;
    private boolean inside;

    TornSectorsTest() {
        bench = new LogBench(disk, LogConfig.Landing.MAPPED);
    }

    @ParameterizedTest
    @EnumSource(LogConfig.Landing.class)
    void no_power_loss_damages_what_was_durable(LogConfig.Landing landing) {
        Seeds.each(1, 150, seed -> write(landing, new SplittableRandom(seed)));
        assertTrue(images > 1_000, images + " images");
    }

    private void write(LogConfig.Landing landing, SplittableRandom sizes) throws IOException {
        disk = new SimStorage();
        bench = new LogBench(disk, landing);
        bench.init();
        syncedLsn = 0;
        WriteAheadLog log = bench.open();
        disk.observe(this::image);
        for (int i = 0; i < RECORDS; i++) {
            long lsn =
                    LogBench.append(log, LogBench.put(1 + sizes.nextInt(MOST_BYTES[sizes.nextInt(MOST_BYTES.length)])));
            if (sizes.nextInt(4) > 0) {
                log.sync(lsn);
                syncedLsn = lsn;
            }
            if (sizes.nextInt(3) == 0) {
                bench.background.runNext();
            }
        }
        disk.observe(() -> {});
        log.close();
    }

    /** Cuts the power before an operation of the storage, and opens the log that is left. */
    private void image() {
        if (inside || random.nextInt(3) > 0) {
            return;
        }
        inside = true;
        images++;
        try {
            LogBench left = bench.on(disk.crash(new CrashChoice.Random(random.nextLong(), true)));
            left.open().close();
            long found = left.replayed.isEmpty() ? 0 : left.replayed.getLast();
            assertTrue(found >= syncedLsn, "operation " + syncedLsn + " was synced, and " + found + " is the last one");
        } catch (CorruptionException e) {
            throw new AssertionError("a log that only crashed is called damaged: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            inside = false;
        }
    }
}
