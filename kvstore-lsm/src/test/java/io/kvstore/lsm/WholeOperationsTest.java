package io.kvstore.lsm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvstore.data.KeyRange;
import io.kvstore.data.Mutation;
import io.kvstore.engine.ReadView;
import io.kvstore.engine.TableEngine;
import io.kvstore.testkit.EngineHarness;
import java.io.IOException;
import java.util.AbstractList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** While an operation is applied, gets see nothing of it. */
final class WholeOperationsTest {

    private static final byte[] FIRST = {1};
    private static final byte[] MIDDLE = {2};
    private static final byte[] LAST = {3};

    /** Reads whenever it is asked for a mutation, as a reader may that runs beside the writer. */
    private static final class Watched extends AbstractList<Mutation> {

        private final List<Mutation> mutations;
        private final Runnable look;
        private int looks;

        Watched(List<Mutation> mutations, Runnable look) {
            this.mutations = mutations;
            this.look = look;
        }

        @Override
        public Mutation get(int index) {
            looks++;
            look.run();
            return mutations.get(index);
        }

        @Override
        public int size() {
            return mutations.size();
        }
    }

    /** Long values are apart; a table that was scanned has its newest entries in a tree; a known value was read before. */
    @ParameterizedTest
    @CsvSource({"10, false, false", "10, true, true", "10000, false, true", "10000, true, false"})
    void a_get_sees_nothing_of_an_operation_that_is_being_applied(int length, boolean scanned, boolean flushed)
            throws IOException {
        try (EngineHarness table = EngineHarness.create(new LsmEngineProvider(), Map.of())) {
            TableEngine engine = table.engine();
            byte[] old = new byte[length];
            byte[] fresh = new byte[length + 1];
            for (byte[] key : List.of(FIRST, MIDDLE, LAST)) {
                table.put(key, old);
            }
            if (flushed) {
                engine.flush();
            }
            if (scanned) {
                assertEquals(3, table.scan(KeyRange.all()).size());
            }
            long lsn = table.lastLsn() + 1;
            Watched operation = new Watched(
                    List.of(new Mutation.Put(FIRST, fresh), new Mutation.Remove(MIDDLE), new Mutation.Put(LAST, fresh)),
                    () -> {
                        assertArrayEquals(old, get(engine, LAST));
                        assertArrayEquals(old, get(engine, MIDDLE));
                        assertArrayEquals(old, get(engine, FIRST));
                    });
            assertEquals(null, engine.reserve(operation));
            operation.looks = 0;
            engine.apply(lsn, operation);
            assertEquals(3, operation.looks, "it was looked at while it was applied");
            assertArrayEquals(fresh, get(engine, FIRST));
            assertArrayEquals(null, get(engine, MIDDLE));
            assertArrayEquals(fresh, get(engine, LAST));
        }
    }

    private static byte @Nullable [] get(TableEngine engine, byte[] key) {
        try {
            return engine.get(key, ReadView.LATEST_UNWAITED);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
