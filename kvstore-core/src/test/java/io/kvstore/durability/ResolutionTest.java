package io.kvstore.durability;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

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
            assertEquals(2, gets.get());
        }
    }

    private void count(String method) {
        if (method.equals("get")) {
            gets.incrementAndGet();
        }
    }
}
