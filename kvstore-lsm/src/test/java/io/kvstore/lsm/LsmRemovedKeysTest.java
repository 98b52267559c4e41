package io.kvstore.lsm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvstore.data.KeyRange;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.testkit.EngineHarness;
import io.kvstore.testkit.RemovedKeysContract;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class LsmRemovedKeysTest extends RemovedKeysContract {

    @Override
    protected TableEngineProvider provider() {
        return new LsmEngineProvider();
    }

    @Override
    protected Map<String, Object> small() {
        return Map.of("MEM_CACHE_SIZE", 65_536);
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    /** A key of which there are many versions is passed by a search. */
    @Test
    void key_with_many_versions() throws IOException {
        try (EngineHarness table =
                EngineHarness.create(new LsmEngineProvider(), Map.of("VALUE_THRESHOLD_BYTES", 100))) {
            table.put(key(1), new byte[1]);
            table.put(key(3), new byte[3]);
            for (int i = 0; i < 300; i++) {
                table.put(key(2), new byte[i]);
            }
            EngineHarness.Snap snapshot = table.openSnapshot();
            table.remove(key(2));
            table.check(snapshot);
            table.check();
            assertEquals(2, table.scan(KeyRange.all().reverse()).size());
            table.close(snapshot);
        }
    }
}
