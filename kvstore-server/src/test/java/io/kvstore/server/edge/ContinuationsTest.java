package io.kvstore.server.edge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Cursor;
import io.kvstore.KVStore;
import io.kvstore.Table;
import io.kvstore.data.KeyRange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Secrets in files: continuations nobody makes up, and tokens. */
final class ContinuationsTest {

    private static final byte[] KEY = {1, 2, 3};

    @TempDir
    private Path directory;

    private Path file() {
        return directory.resolve("server").resolve("continuations.key");
    }

    private static ProblemCode refusal(Runnable work) {
        return assertThrows(ProblemException.class, work::run).problem().code();
    }

    @Test
    void one_that_was_given_is_good_after_a_restart_and_no_other() {
        try (KVStore store = new KVStore(directory.resolve("data").toFile())) {
            store.createDB("d");
            Table table = store.createTable("d", "t", "model");
            Table other = store.createTable("d", "u", "model");
            KeyRange range = KeyRange.prefix(new byte[] {1});
            byte[] given = Continuations.keptIn(file()).after(table, table.id(), range, KEY);
            Continuations again = Continuations.keptIn(file());
            assertEquals(range.after(KEY), again.rest(given, table, range));
            KeyRange down = range.reverse();
            assertEquals(down.after(KEY), again.rest(again.after(table, table.id(), down, KEY), table, down));
            assertEquals(ProblemCode.CONTINUATION_INVALID, refusal(() -> again.rest(given, other, range)));
            assertEquals(ProblemCode.CONTINUATION_INVALID, refusal(() -> again.rest(given, table, range.reverse())));
            assertEquals(ProblemCode.CONTINUATION_INVALID, refusal(() -> again.rest(given, table, KeyRange.all())));
            for (int at = 0; at < given.length; at++) {
                byte[] changed = given.clone();
                changed[at] ^= 1;
                assertEquals(ProblemCode.CONTINUATION_INVALID, refusal(() -> again.rest(changed, table, range)));
            }
            assertEquals(ProblemCode.CONTINUATION_INVALID, refusal(() -> again.rest(new byte[0], table, range)));
            store.renameTable("d", "t", "renamed");
            assertEquals(range.after(KEY), again.rest(given, table, range));
            store.renameTable("d", "u", "t");
            assertEquals(ProblemCode.TABLE_DROPPED, refusal(() -> again.rest(given, other, range)));
            store.renameTable("d", "t", "u");
            store.renameTable("d", "renamed", "t");
            table.truncate();
            assertEquals(ProblemCode.TABLE_DROPPED, refusal(() -> again.rest(given, table, range)));
        }
    }

    @Test
    void a_cursor_of_a_table_that_was_truncated_is_closed() {
        try (KVStore store = KVStore.inMemory()) {
            store.createDB("d");
            Table table = store.createTable("d", "t", "model");
            int id = table.id();
            Continuations.requireSame(table.scan(KeyRange.all()), table, id).close();
            table.truncate();
            Cursor cursor = table.scan(KeyRange.all());
            assertEquals(ProblemCode.TABLE_DROPPED, refusal(() -> Continuations.requireSame(cursor, table, id)));
            assertEquals(0, store.stats().openSnapshots());
        }
    }

    @Test
    void its_key_is_readable_by_its_owner_only() throws Exception {
        Continuations.keptIn(file());
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file())));
        Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-r--r--"));
        UncheckedIOException refused = assertThrows(UncheckedIOException.class, () -> Continuations.keptIn(file()));
        assertTrue(String.valueOf(refused.getMessage()).contains("chmod 600"), refused::toString);
    }

    @Test
    void a_key_of_another_length_is_refused() throws Exception {
        Continuations.keptIn(file());
        Files.write(file(), new byte[31]);
        assertEquals(ProblemCode.INVALID_REQUEST, refusal(() -> Continuations.keptIn(file())));
    }

    @Test
    void a_file_that_cannot_be_written_leaves_nothing() throws Exception {
        Path file = file();
        assertThrows(
                IOException.class,
                () -> PrivateFile.createIfAbsent(file, () -> {
                    assertTrue(file.resolve("in the way").toFile().mkdirs());
                    return KEY;
                }));
        try (Stream<Path> left = Files.list(file.getParent())) {
            assertEquals(List.of(file), left.toList());
        }
    }

    @Test
    void tokens_are_taken_by_the_line() throws Exception {
        Path tokens = directory.resolve("tokens");
        String first = "a".repeat(32);
        String second = "b".repeat(512);
        Files.createFile(tokens, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(tokens, "# comment\n" + first + "\n\n " + second + " \n");
        Access access = Access.byTokensOf(tokens);
        assertTrue(access.isRestricted() && access.allows(first) && access.allows(second));
        assertFalse(access.allows("") || access.allows("# comment") || access.allows(first + "a"));
        assertFalse(Access.open().isRestricted());
        for (String bad : new String[] {"", "# comment\n", "a".repeat(31), "a".repeat(513)}) {
            Files.writeString(tokens, bad);
            assertEquals(ProblemCode.INVALID_REQUEST, refusal(() -> Access.byTokensOf(tokens)), bad);
        }
    }

    @Test
    void a_token_is_made_once() throws Exception {
        Path tokens = directory.resolve("new").resolve("tokens");
        assertEquals(ProblemCode.INVALID_REQUEST, refusal(() -> Access.byTokensOf(tokens)));
        assertTrue(Access.createTokens(tokens));
        assertFalse(Access.createTokens(tokens));
        String token = Files.readString(tokens).strip();
        assertTrue(token.length() >= 43);
        assertTrue(Access.byTokensOf(tokens).allows(token));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(tokens)));
    }
}
