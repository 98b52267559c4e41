package io.kvstore.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.data.Condition;
import io.kvstore.data.Durability;
import io.kvstore.data.Merge;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.error.ConditionFailedException;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.TableDroppedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Changes that are computed from the present value: nothing comes in between, and a refusal changes nothing. */
public abstract class MergesContract {

    private static final byte[] KEY = {7};
    private static final int APART_BYTES = 3_000;

    private final SimStorage disk = new SimStorage();
    private KVStore store = open(disk);
    private @Nullable Table made;

    protected abstract TableEngineProvider provider();

    /** Properties with which a table moves its entries to files early. */
    protected abstract Properties small();

    private static KVStore open(SimStorage disk) {
        KVStoreOptions options = KVStoreOptions.defaults()
                .withStorage(disk)
                .withMaxBatchBytes(4 << 20)
                .withMemoryBytes(256 << 20);
        return new KVStore(Path.of("unused"), options);
    }

    @BeforeEach
    void begin() {
        store.createDB("db");
        made = store.createTable("db", "t", provider().name(), small());
    }

    private Table table() {
        return Objects.requireNonNull(made);
    }

    @AfterEach
    void end() {
        store.close();
        assertEquals(0, disk.openResources());
    }

    private static byte[] text(String text) {
        return text.getBytes(US_ASCII);
    }

    private static byte[] filled(int bytes, int with) {
        byte[] value = new byte[bytes];
        Arrays.fill(value, (byte) with);
        return value;
    }

    private void refuses(byte[] kept, String reason, Runnable call) {
        InvalidRequestException refusal = assertThrows(InvalidRequestException.class, call::run);
        assertTrue(Objects.requireNonNull(refusal.getMessage()).contains(reason), refusal.getMessage());
        assertArrayEquals(kept, table().get(KEY));
    }

    @Test
    void sums_are_decimal_text() {
        assertEquals(5, table().add(KEY, 5));
        assertEquals(-2, table().add(KEY, -7));
        assertArrayEquals(text("-2"), table().get(KEY));
        assertEquals(0, table().add(KEY, 2));
        table().put("n", text("9223372036854775806"));
        assertEquals(Long.MAX_VALUE, table().add("n", 1));
        table().put("n", text("-9223372036854775807"));
        assertEquals(Long.MIN_VALUE, table().add("n", -1));
    }

    @Test
    void a_sum_beyond_64_bits_is_refused() {
        byte[] most = text(Long.toString(Long.MAX_VALUE));
        table().put(KEY, most);
        refuses(most, "64 bits", () -> table().add(KEY, 1));
        byte[] least = text(Long.toString(Long.MIN_VALUE));
        table().put(KEY, least);
        refuses(least, "64 bits", () -> table().add(KEY, -1));
    }

    @Test
    void what_is_no_number_is_refused() {
        List<String> none = List.of(
                "",
                "-",
                "-0",
                "007",
                "+1",
                " 1",
                "1 ",
                "1.0",
                "1e3",
                "x",
                "9223372036854775808",
                "-9223372036854775809",
                "10000000000000000000",
                "99999999999999999999");
        for (String text : none) {
            table().put(KEY, text(text));
            refuses(text(text), "decimal digits", () -> table().add(KEY, 1));
        }
    }

    @Test
    void bytes_are_appended() {
        assertEquals(2, table().append(KEY, text("ab")));
        assertEquals(2, table().append(KEY, new byte[0]));
        assertEquals(5, table().append(KEY, text("cde")));
        assertArrayEquals(text("abcde"), table().get(KEY));
        table().put(KEY, filled(APART_BYTES, 1));
        assertEquals(2 * APART_BYTES, table().append(KEY, filled(APART_BYTES, 1)));
        assertArrayEquals(filled(2 * APART_BYTES, 1), table().get(KEY));
    }

    @Test
    void parts_are_overwritten() {
        assertEquals(3, table().patch(KEY, 0, text("abc")));
        assertEquals(3, table().patch(KEY, 1, text("X")));
        assertArrayEquals(text("aXc"), table().get(KEY));
        assertEquals(5, table().patch(KEY, 3, text("de")));
        assertEquals(6, table().patch(KEY, 4, text("YZ")));
        assertArrayEquals(text("aXcdYZ"), table().get(KEY));
        refuses(text("aXcdYZ"), "begin at 6 or before", () -> table().patch(KEY, 7, text("!")));
        refuses(text("aXcdYZ"), "give 0 or more", () -> table().patch(KEY, -1, text("!")));
        table().remove(KEY);
        InvalidRequestException behind =
                assertThrows(InvalidRequestException.class, () -> table().patch(KEY, 1, text("!")));
        assertTrue(String.valueOf(behind.getMessage()).contains("0 bytes"), behind.getMessage());
        assertNull(table().get(KEY));
    }

    @Test
    void a_result_may_have_one_mebibyte() {
        byte[] most = filled(Merge.MAX_RESULT_BYTES - 1, 3);
        table().put(KEY, most);
        assertEquals(Merge.MAX_RESULT_BYTES, table().append(KEY, new byte[1]));
        byte[] full = table().get(KEY);
        refuses(Objects.requireNonNull(full), "make at most 1048576", () -> table().append(KEY, new byte[1]));
        refuses(full, "make at most 1048576", () -> table().patch(KEY, Merge.MAX_RESULT_BYTES, new byte[1]));
        table().put(KEY, filled(Merge.MAX_RESULT_BYTES + 1, 3));
        refuses(filled(Merge.MAX_RESULT_BYTES + 1, 3), "make at most", () -> table().append(KEY, new byte[0]));
    }

    @Test
    void a_result_is_within_the_limit_of_the_table() {
        Properties limited = small();
        limited.put("MAX_VALUE_BYTES", 10);
        Table narrow = store.createTable("db", "narrow", provider().name(), limited);
        narrow.put(KEY, text("123456789"));
        assertEquals(10, narrow.append(KEY, text("0")));
        InvalidRequestException refusal =
                assertThrows(InvalidRequestException.class, () -> narrow.append(KEY, text("1")));
        assertTrue(String.valueOf(refusal.getMessage()).contains("MAX_VALUE_BYTES"), refusal.getMessage());
        assertArrayEquals(text("1234567890"), narrow.get(KEY));
    }

    @Test
    void previous_values_are_returned() {
        assertNull(table().getAndPut(KEY, text("a")));
        assertArrayEquals(text("a"), table().getAndPut(KEY, filled(APART_BYTES, 2)));
        assertArrayEquals(filled(APART_BYTES, 2), table().getAndPut(KEY, text("b"), Durability.BUFFERED));
        assertArrayEquals(text("b"), table().getAndRemove(KEY));
        assertNull(table().getAndRemove(KEY));
        assertFalse(table().contains(KEY));
    }

    @Test
    void to_remove_nothing_writes_nothing() {
        table().put("other", text("1"));
        long before = store.stats().log().records();
        assertNull(table().getAndRemove(KEY));
        assertEquals(before, store.stats().log().records());
    }

    @Test
    void a_key_is_contained_wherever_its_entry_is() {
        for (byte[] value : List.of(new byte[0], text("a"), filled(APART_BYTES, 2))) {
            table().put(KEY, value);
            assertTrue(table().contains(KEY));
            table().flush();
            assertTrue(table().contains(KEY));
            table().remove(KEY);
            assertFalse(table().contains(KEY));
            table().flush();
            assertFalse(table().contains(KEY));
        }
        table().put(KEY, filled(APART_BYTES, 2));
        store.close();
        store = open(disk);
        made = store.table("db", "t");
        assertTrue(table().contains(KEY));
        assertFalse(table().contains("other"));
    }

    @Test
    void a_function_replaces_a_value() {
        assertArrayEquals(text("new"), table().update(KEY, present -> present == null ? text("new") : text("wrong")));
        assertArrayEquals(text("newer"), table().update(KEY, present -> text("newer")));
        assertThrows(
                IllegalStateException.class,
                () -> table().update(KEY, present -> {
                    throw new IllegalStateException("of the function");
                }));
        assertArrayEquals(text("newer"), table().get(KEY));
        assertNull(table().update(KEY, present -> null));
        assertFalse(table().contains(KEY));
        assertNull(table().update(KEY, present -> null));
    }

    /** The function that came too late runs again, with the value that came first. */
    @Test
    void a_function_runs_again_if_another_write_came_in_between() {
        List<String> seen = new ArrayList<>();
        table().put(KEY, text("a"));
        byte[] result = table().update(KEY, present -> {
            seen.add(new String(Objects.requireNonNull(present), US_ASCII));
            if (seen.size() == 1) {
                table().put(KEY, text("b"));
            }
            return text(seen.getLast() + "!");
        });
        assertArrayEquals(text("b!"), result);
        assertEquals(List.of("a", "b"), seen);
    }

    /** Threads with slow functions and threads with fast ones change one key. The slow ones get their turns. */
    @Tag("races")
    @Test
    void an_update_runs_no_more_often_than_there_are_threads_and_three_times_more() throws Exception {
        int threads = 8;
        int updates = 40;
        AtomicInteger most = new AtomicInteger();
        AtomicInteger running = new AtomicInteger(threads / 2);
        AtomicInteger byFast = new AtomicInteger();
        List<Future<?>> runs = new ArrayList<>();
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            for (int t = 0; t < threads; t++) {
                boolean isSlow = t % 2 == 0;
                runs.add(pool.submit(() -> {
                    for (int i = 0; isSlow ? i < updates : running.get() > 0 && i < 100_000; i++) {
                        int needed = increment(isSlow ? 300_000 : 0);
                        most.accumulateAndGet(needed, Math::max);
                        byFast.addAndGet(isSlow ? 0 : 1);
                    }
                    running.addAndGet(isSlow ? -1 : 0);
                }));
            }
        }
        for (Future<?> run : runs) {
            run.get();
        }
        String sum = new String(Objects.requireNonNull(table().get(KEY)), US_ASCII);
        assertEquals(threads / 2 * updates + byFast.get(), Integer.parseInt(sum));
        assertTrue(most.get() <= threads + 3, "an update needed " + most + " runs");
    }

    /** Adds 1 by a function that takes its time. Returns how often it ran. */
    private int increment(long nanos) {
        int[] runs = new int[1];
        table().update(KEY, present -> {
            runs[0]++;
            if (nanos > 0) {
                LockSupport.parkNanos(nanos);
            }
            return text(Integer.toString(present == null ? 1 : Integer.parseInt(new String(present, US_ASCII)) + 1));
        });
        return runs[0];
    }

    @Test
    void merges_of_a_batch_see_the_changes_before_them() {
        table().put(KEY, text("10"));
        table().put("gone", text("x"));
        store.write(new WriteBatch()
                .add(table(), KEY, 1)
                .put(table(), KEY, text("100"))
                .add(table(), KEY, 5)
                .add(table(), KEY, 2)
                .remove(table(), "gone")
                .append(table(), "gone", text("new"))
                .patch(table(), "gone", 3, text("er")));
        assertArrayEquals(text("107"), table().get(KEY));
        assertArrayEquals(text("newer"), table().get("gone"));
        store.write(new WriteBatch().append(table(), "gone", text("!")).remove(table(), "gone"));
        assertNull(table().get("gone"));
    }

    @Test
    void a_batch_with_a_merge_that_is_refused_changes_nothing() {
        table().put(KEY, text("x"));
        WriteBatch batch = new WriteBatch().put(table(), "other", text("1")).add(table(), KEY, 1);
        refuses(text("x"), "decimal digits", () -> store.write(batch));
        assertNull(table().get("other"));
        table().put(KEY, text("1"));
        WriteBatch checked = new WriteBatch().add(table(), KEY, 1).check(table(), new Condition.Absent(KEY));
        assertThrows(ConditionFailedException.class, () -> store.write(checked));
        assertArrayEquals(text("1"), table().get(KEY));
    }

    @Test
    void the_results_of_a_batch_have_a_limit_together() {
        table().put(KEY, filled(1 << 20, 1));
        WriteBatch within = new WriteBatch();
        for (int i = 0; i < 4; i++) {
            within.patch(table(), KEY, i, new byte[1]);
        }
        store.write(within);
        byte[] kept = table().get(KEY);
        within.patch(table(), KEY, 4, new byte[1]);
        refuses(Objects.requireNonNull(kept), "maxBatchBytes", () -> store.write(within));
    }

    @Test
    void merges_of_several_tables_are_one_operation() {
        Table other = store.createTable("db", "other", provider().name(), small());
        long lsn = store.write(new WriteBatch().add(table(), KEY, 1).add(other, KEY, 2));
        assertTrue(lsn > 0);
        assertArrayEquals(text("1"), table().get(KEY));
        assertArrayEquals(text("2"), other.get(KEY));
    }

    @Test
    void results_are_found_again_after_a_crash() {
        for (int i = 1; i <= 300; i++) {
            table().add(KEY, i);
            table().append("list", filled(10, i));
        }
        try (KVStore after = open(disk.crash(new CrashChoice.DropAll()))) {
            Table again = after.table("db", "t");
            assertArrayEquals(text("45150"), again.get(KEY));
            assertEquals(3_000, Objects.requireNonNull(again.get("list")).length);
            assertEquals(45_151, again.add(KEY, 1));
        }
    }

    @Test
    void a_dropped_table_takes_no_merge() {
        store.dropTable("db", "t");
        assertThrows(TableDroppedException.class, () -> table().add(KEY, 1));
        assertThrows(TableDroppedException.class, () -> table().getAndPut(KEY, KEY));
        assertThrows(TableDroppedException.class, () -> table().contains(KEY));
        made = store.createTable("db", "t", provider().name(), small());
    }

    /** Threads that add, append, exchange and update lose nothing of each other, on one key and beside writers of others. */
    @Tag("races")
    @Test
    void threads_lose_nothing() throws Exception {
        int threads = 8;
        int rounds = Sweeps.count(120, 300);
        table().put("token", text("0"));
        List<Future<List<String>>> runs = new ArrayList<>();
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            for (int t = 0; t < threads; t++) {
                int thread = t;
                runs.add(pool.submit(() -> {
                    List<String> taken = new ArrayList<>();
                    for (int i = 0; i < rounds; i++) {
                        table().add(KEY, 1);
                        table().append("list", filled(1, thread));
                        String mine = thread + "/" + i;
                        byte[] before = table().getAndPut(text("token"), text(mine), Durability.BUFFERED);
                        taken.add(new String(Objects.requireNonNull(before), US_ASCII));
                        table().update(
                                        "number",
                                        present -> text(present == null ? "1" : "1" + new String(present, US_ASCII)));
                        store.write(new WriteBatch().add(table(), "a", 1).add(table(), "b", -1), Durability.BUFFERED);
                    }
                    return taken;
                }));
            }
        }
        List<String> taken = new ArrayList<>();
        for (Future<List<String>> run : runs) {
            taken.addAll(run.get());
        }
        taken.add(new String(Objects.requireNonNull(table().get("token")), US_ASCII));
        assertEquals(threads * rounds + 1, taken.stream().distinct().count(), "each value was exchanged once");
        assertArrayEquals(text(Integer.toString(threads * rounds)), table().get(KEY));
        assertArrayEquals(text(Integer.toString(threads * rounds)), table().get("a"));
        assertArrayEquals(text(Integer.toString(-threads * rounds)), table().get("b"));
        assertEquals(threads * rounds, Objects.requireNonNull(table().get("number")).length);
        byte[] list = Objects.requireNonNull(table().get("list"));
        assertEquals(threads * rounds, list.length);
        for (int t = 0; t < threads; t++) {
            int thread = t;
            int count = 0;
            for (byte one : list) {
                count += one == thread ? 1 : 0;
            }
            assertEquals(rounds, count);
        }
    }

    /** A condition that holds says that the value is a number. So a merge that is refused for it was judged at two moments. */
    @Tag("races")
    @Test
    void a_refusal_was_right_at_one_moment() throws Exception {
        table().put(KEY, text("5"));
        AtomicBoolean ends = new AtomicBoolean();
        try (ExecutorService pool = Executors.newFixedThreadPool(1)) {
            Future<?> writing = pool.submit(() -> {
                while (!ends.get()) {
                    table().put(KEY, text("text"), Durability.BUFFERED);
                    table().put(KEY, text("5"), Durability.BUFFERED);
                }
            });
            try {
                for (int i = 0; i < 3_000; i++) {
                    WriteBatch batch = new WriteBatch()
                            .check(table(), new Condition.ValueIs(KEY, text("5")))
                            .add(table(), KEY, 1);
                    try {
                        store.write(batch, Durability.BUFFERED);
                    } catch (ConditionFailedException e) {
                        Thread.onSpinWait(); // which is one of two right answers
                    }
                }
            } finally {
                ends.set(true);
            }
            writing.get();
        }
    }
}
