package io.kvstore.lsm;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.engine.Findings;
import io.kvstore.io.Storage;
import io.kvstore.memory.MemoryBudget;
import io.kvstore.testkit.EngineHarness;
import io.kvstore.testkit.HookedStorage;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a check of a table holds while it reads. */
final class LsmVerifyTest {

    private static void putAll(EngineHarness table) throws IOException {
        for (int i = 0; i < 200; i++) {
            table.put(ByteBuffer.allocate(Integer.BYTES).putInt(i).array(), new byte[100]);
        }
    }

    private static long memTableBytes(EngineHarness table) {
        return table.memory().usedByUse().getOrDefault(MemoryBudget.Use.MEMTABLE, 0L);
    }

    @Test
    void the_memory_of_what_is_flushed_meanwhile_comes_back() throws IOException {
        Runnable[] atRead = {() -> {}};
        Storage disk = HookedStorage.over(new SimStorage(), (name, path, proceed) -> {
            if (path.endsWith(".sst") && name.startsWith("read")) {
                Runnable now = atRead[0];
                atRead[0] = () -> {};
                now.run();
            }
            return proceed.call();
        });
        try (EngineHarness table = EngineHarness.create(new LsmEngineProvider(), Map.of(), disk)) {
            putAll(table);
            table.engine().flush();
            putAll(table);
            long before = memTableBytes(table);
            long[] meanwhile = {before};
            atRead[0] = () -> {
                assertDoesNotThrow(() -> table.engine().flush());
                meanwhile[0] = memTableBytes(table);
            };
            Findings findings = new Findings();
            table.engine().verify(findings);
            assertEquals(List.of(), findings.kept());
            assertTrue(meanwhile[0] <= before / 2, meanwhile[0] + " bytes of " + before + " are still taken");
            table.check();
        }
    }
}
