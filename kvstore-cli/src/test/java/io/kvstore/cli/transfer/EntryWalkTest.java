package io.kvstore.cli.transfer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.Console.Terminals;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.ProgressLine;
import io.kvstore.client.ClientEntry;
import io.kvstore.client.EntryPage;
import io.kvstore.client.KVClient;
import io.kvstore.client.ScanOptions;
import io.kvstore.client.TableReader;
import io.kvstore.client.embedded.EmbeddedClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Walks over the pages of a reader that a test makes. */
@Timeout(60)
final class EntryWalkTest {

    private static final byte[] MORE = {1};

    private final Console console = new Console(
            InputStream.nullInputStream(),
            OutputStream.nullOutputStream(),
            new ByteArrayOutputStream(),
            new Terminals(false, false, false),
            System::nanoTime);
    private final ProgressLine progress = new ProgressLine(console, true);
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final List<Thread> fetching = new CopyOnWriteArrayList<>();
    private final CountDownLatch answer = new CountDownLatch(1);

    /** The calls that were interrupted. A thread without a call may be: an executor ends it so. */
    private final AtomicInteger interrupted = new AtomicInteger();

    @SuppressWarnings("NullAway.Init") // opened before each test
    private KVStore store;

    @SuppressWarnings("NullAway.Init") // made before each test
    private KVClient client;

    /** The answer to a request for a page. */
    @FunctionalInterface
    private interface Pages {
        EntryPage page(ScanOptions options) throws InterruptedException;
    }

    @BeforeEach
    void open() {
        store = KVStore.inMemory();
        client = EmbeddedClient.over(store);
        client.createDatabase("d");
        client.createTable("d", "t", "bplus");
    }

    @AfterEach
    void close() {
        client.close();
        store.close();
    }

    private EntryWalk walk(Pages pages) {
        TableReader reader = (TableReader) Proxy.newProxyInstance(
                EntryWalkTest.class.getClassLoader(), new Class<?>[] {TableReader.class}, (_, called, arguments) -> {
                    calls.add(called.getName());
                    fetching.add(Thread.currentThread());
                    return called.getName().equals("get")
                            ? "long".getBytes(UTF_8)
                            : pages.page((ScanOptions) arguments[0]);
                });
        SameTable same = new SameTable(client, client.table("d", "t").describe(), "walk");
        return new EntryWalk(reader, ScanOptions.all(), same, progress);
    }

    private static ClientEntry entry(String key) {
        return new ClientEntry(key.getBytes(UTF_8), new byte[0], -1);
    }

    /** A first page, and no answer for the second one until the test ends. */
    private EntryPage stuck(ScanOptions options) throws InterruptedException {
        if (options.continuation() != null) {
            awaitAnswer();
        }
        return new EntryPage(List.of(entry("a")), MORE);
    }

    private void awaitAnswer() throws InterruptedException {
        try {
            answer.await();
        } catch (InterruptedException e) {
            interrupted.incrementAndGet();
            throw e;
        }
    }

    /** Waits until the page behind the first one is under way. */
    private void awaitSecondPage() {
        while (calls.size() < 2) {
            Thread.onSpinWait();
        }
    }

    private void requireThreadEnds() throws InterruptedException {
        Thread thread = fetching.getFirst();
        assertTrue(thread.isDaemon());
        answer.countDown();
        thread.join();
        assertEquals(0, interrupted.get());
    }

    @Test
    void a_failing_taker_does_not_wait_for_the_page_ahead() throws Exception {
        IOException full = assertThrows(
                IOException.class,
                () -> walk(this::stuck).each((_, _) -> {
                    awaitSecondPage();
                    throw new IOException("full");
                }));
        assertEquals("full", full.getMessage());
        assertEquals(1, answer.getCount());
        requireThreadEnds();
    }

    @Test
    void who_interrupts_does_not_wait_for_a_page() throws Exception {
        EntryWalk walk = walk(options -> {
            if (options.continuation() != null) {
                console.interruption().ask();
            }
            return stuck(options);
        });
        CommandFailure failure = assertThrows(CommandFailure.class, () -> walk.each((_, _) -> true));
        assertEquals(ExitStatus.INTERRUPTED, failure.status());
        requireThreadEnds();
    }

    @Test
    void a_taker_that_wants_no_more_does_not_wait_for_the_page_ahead() throws Exception {
        walk(this::stuck).each((_, _) -> {
            awaitSecondPage();
            return false;
        });
        assertEquals(1, answer.getCount());
        requireThreadEnds();
    }

    /** A walk ends with a look whether the name is that of the same table still. */
    @Test
    void who_interrupts_does_not_wait_for_the_last_look_at_the_table() throws Exception {
        Thread walking = Thread.currentThread();
        KVClient slow = (KVClient) Proxy.newProxyInstance(
                EntryWalkTest.class.getClassLoader(), new Class<?>[] {KVClient.class}, (_, called, _) -> {
                    assertEquals("table", called.getName());
                    assertNotEquals(walking, Thread.currentThread());
                    fetching.addFirst(Thread.currentThread());
                    console.interruption().ask();
                    awaitAnswer();
                    return client.table("d", "t");
                });
        SameTable same = new SameTable(slow, client.table("d", "t").describe(), "walk");
        EntryWalk walk = new EntryWalk(client.table("d", "t"), ScanOptions.all(), same, progress);
        CommandFailure failure = assertThrows(CommandFailure.class, () -> walk.each((_, _) -> true));
        assertEquals(ExitStatus.INTERRUPTED, failure.status());
        requireThreadEnds();
    }

    @Test
    void long_values_are_read_before_the_next_page() throws IOException {
        ClientEntry large = new ClientEntry("b".getBytes(UTF_8), null, 1 << 30);
        EntryWalk walk = walk(options -> options.continuation() == null
                ? new EntryPage(List.of(entry("a"), large), MORE)
                : new EntryPage(List.of(entry("c")), null));
        StringBuilder taken = new StringBuilder();
        walk.each((key, value) -> {
            taken.append(new String(key, UTF_8)).append(new String(value, UTF_8));
            return true;
        });
        assertEquals("ablongc", taken.toString());
        assertEquals(List.of("page", "get", "page"), calls);
    }

    @Test
    void a_page_beyond_the_bytes_of_pages_is_alone_in_memory() throws IOException {
        ClientEntry large = new ClientEntry("a".getBytes(UTF_8), new byte[1 << 20], -1);
        EntryWalk walk = walk(options -> options.continuation() == null
                ? new EntryPage(List.of(large), MORE)
                : new EntryPage(List.of(entry("b")), null));
        walk.each((key, _) -> {
            calls.add(new String(key, UTF_8));
            return true;
        });
        assertEquals(List.of("page", "a", "page", "b"), calls);
    }
}
