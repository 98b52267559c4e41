package io.kvstore.durability;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.data.Condition;
import io.kvstore.data.Mutation;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What an operation reads of the engine. */
final class ResolutionTest {

    private static final byte[] KEY = {1};

    private final AtomicInteger gets = new AtomicInteger();
    private final AtomicInteger looks = new AtomicInteger();

    @Test
    void a_condition_and_the_previous_value_of_one_key_are_one_read() throws IOException {
        try (OpenStore store = WatchedEngine.open(1_000, (method, _) -> count(method))) {
            OpenTable table = WatchedEngine.table(store);
            CommitPipeline pipeline = store.pipeline();
            Mutation.Remove remove = new Mutation.Remove(KEY);
            List<Operation.TableWrite> removes = List.of(new Operation.TableWrite.Fixed(table, List.of(remove)));
            Operation taking = new Operation(
                    removes, List.of(new Operation.Check(table, new Condition.Exists(remove.key()))), true);
            pipeline.commit(table, new Mutation.Put(KEY, new byte[] {7}), null);
            assertArrayEquals(new byte[] {7}, pipeline.commit(taking, null).value());
            assertEquals(1, gets.getAndSet(0));
            assertNull(pipeline.commit(taking, null).value());
            assertEquals(1, gets.getAndSet(0));

            byte[] other = {2};
            pipeline.commit(table, new Mutation.Put(KEY, new byte[] {8}), null);
            pipeline.commit(table, new Mutation.Put(other, new byte[] {9}), null);
            Operation.Check check = new Operation.Check(table, new Condition.Exists(other));
            Operation beside = new Operation(removes, List.of(check), true);
            assertArrayEquals(new byte[] {8}, pipeline.commit(beside, null).value(), "the check read another key");
            assertEquals(1, gets.get(), "the check asks for the key alone");
            assertEquals(1, looks.get());
        }
    }

    @Test
    void a_condition_on_the_presence_of_a_key_reads_no_value() throws IOException {
        try (OpenStore store = WatchedEngine.open(1_000, (method, _) -> count(method))) {
            OpenTable table = WatchedEngine.table(store);
            Mutation.Put put = new Mutation.Put(KEY, new byte[] {7});
            Condition absent = new Condition.Absent(KEY);
            Condition exists = new Condition.Exists(KEY);
            assertFalse(isApplied(store, table, put, exists), "nothing was stored");
            assertTrue(isApplied(store, table, put, absent));
            assertFalse(isApplied(store, table, put, absent), "the key was stored");
            assertTrue(isApplied(store, table, new Mutation.Remove(KEY), exists));
            assertEquals(0, gets.get());
            assertEquals(4, looks.get());
        }
    }

    private static boolean isApplied(OpenStore store, OpenTable table, Mutation mutation, Condition condition) {
        List<Operation.TableWrite> writes = List.of(new Operation.TableWrite.Fixed(table, List.of(mutation)));
        Operation.Check check = new Operation.Check(table, condition);
        return store.pipeline()
                .commit(new Operation(writes, List.of(check)), null)
                .isApplied();
    }

    private void count(String method) {
        if (method.equals("get")) {
            gets.incrementAndGet();
        } else if (method.equals("contains")) {
            looks.incrementAndGet();
        }
    }
}
