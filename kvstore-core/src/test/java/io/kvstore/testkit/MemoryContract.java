package io.kvstore.testkit;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.kvstore.data.Mutation;
import io.kvstore.engine.ReadView;
import io.kvstore.engine.TableEngine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Contract of an engine: what it takes of the heap, and when. */
abstract class MemoryContract extends DamageContract {

    private static final int OPERATIONS = 50_000;

    /** What a thread may take without any doing of the engine. */
    private static final long LEAST_BYTES = 2_048;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** Once an operation is in the log it has to be applied, so nothing that may be missing then is needed. */
    @Test
    void applying_takes_nothing_of_the_heap() throws IOException {
        EngineHarness table = openInline();
        long taken = 0;
        for (int i = 0; i < OPERATIONS; i++) {
            if (i % 50 == 0) {
                table.engine().get(mutations(i).getFirst().key(), ReadView.LATEST); // so that changes can be found
            }
            long bytes = takenToApply(table, mutations(i));
            taken += i < OPERATIONS / 2 ? 0 : bytes;
        }
        assertTrue(taken <= LEAST_BYTES, OPERATIONS / 2 + " operations took " + taken + " bytes to apply");
        table.check();
    }

    /** Values that are kept apart take a little as they are copied, which is not looked at here. */
    private EngineHarness openInline() throws IOException {
        Map<String, Object> inline = new HashMap<>(properties());
        inline.remove("VALUE_THRESHOLD_BYTES");
        return open(inline);
    }

    private static long takenToApply(EngineHarness table, List<Mutation> mutations) throws IOException {
        TableEngine engine = table.engine();
        table.admit(mutations);
        long lsn = table.append(mutations);
        long before = THREADS.getCurrentThreadAllocatedBytes();
        engine.apply(lsn, mutations);
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }

    /** One to three short changes, of keys that were changed before and of others. */
    private static List<Mutation> mutations(int number) {
        List<Mutation> mutations = new ArrayList<>();
        for (int i = 0; i <= number % 5 % 3; i++) {
            byte[] key = ByteBuffer.allocate(12)
                    .putInt((number * 0x9E3779B1) >>> (number % 4 == 0 ? 20 : 0))
                    .putInt(i)
                    .array();
            mutations.add(number % 5 == 0 ? new Mutation.Remove(key) : new Mutation.Put(key, new byte[number % 200]));
        }
        return mutations;
    }
}
