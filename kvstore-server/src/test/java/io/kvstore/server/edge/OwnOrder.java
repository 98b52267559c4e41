package io.kvstore.server.edge;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Table;
import io.kvstore.data.Durability;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Fills a table that is not ordered, and puts and removes other keys until it is closed. The keys of the filled entries stay,
 * so a scan beside it gives each of them once. {@code -Dkv.paging.entries=} asks for another number of entries, and
 * {@code -Dkv.paging.page=} for pages of another size.
 */
public final class OwnOrder implements AutoCloseable {

    public static final String TABLE = "own";
    private static final int OTHERS = 1_000;
    private static final int END_SECONDS = 60;
    private static final int SPARE_PAGES = 1_000;

    private final Table table;
    private final CompletableFuture<Integer> writes;
    private volatile boolean ended;

    /** What the store says of a range of the table. */
    public static String refusal(String engine) {
        return "table own is a " + engine.toUpperCase(Locale.ROOT)
                + " table, which has no order of keys: scan all of it,"
                + " or what is behind a key; ranges need LSM or BPLUS";
    }

    /** Begins to put and remove other keys. */
    public OwnOrder(Table table) {
        this.table = table;
        this.writes = CompletableFuture.supplyAsync(this::write, task -> new Thread(task, "other keys").start());
    }

    /** How many entries the test of a long scan has. */
    public static int entries(int usual) {
        return Integer.getInteger("kv.paging.entries", usual);
    }

    /** How many entries a page has. */
    public static int pageEntries() {
        return Integer.getInteger("kv.paging.page", 7);
    }

    /** A scan has fewer pages, unless it gives entries again and again. */
    public static int mostPages(int entries) {
        return entries / pageEntries() + SPARE_PAGES;
    }

    /** Puts entries that stay, and returns their keys. */
    public static List<String> fill(Table table, int entries) {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < entries; i++) {
            keys.add("k" + i);
            table.put(keys.getLast().getBytes(UTF_8), ("v" + i).getBytes(UTF_8), Durability.BUFFERED);
        }
        return keys;
    }

    private int write() {
        int written = 0;
        do {
            byte[] key = ("other" + written % OTHERS).getBytes(UTF_8);
            if (written / OTHERS % 2 == 0) {
                table.put(key, key);
            } else {
                table.remove(key);
            }
            written++;
        } while (!ended && written < Integer.MAX_VALUE);
        return written;
    }

    /** Checks that the keys of a scan are all keys that stayed, once each, and any others at most once. */
    public static void checkOnceEach(List<String> stayed, List<String> found) {
        assertEquals(found.size(), new HashSet<>(found).size(), "a key was given twice");
        List<String> ofThese = new ArrayList<>(found);
        ofThese.removeIf(key -> key.startsWith("other"));
        assertEquals(stayed.size(), ofThese.size());
        assertEquals(new HashSet<>(stayed), new HashSet<>(ofThese));
    }

    /** Ends the writes. */
    @Override
    public void close() {
        ended = true;
        assertTrue(writes.orTimeout(END_SECONDS, TimeUnit.SECONDS).join() > 0);
    }
}
