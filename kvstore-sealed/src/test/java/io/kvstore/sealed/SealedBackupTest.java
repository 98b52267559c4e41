package io.kvstore.sealed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.BackupInfo;
import io.kvstore.Backups;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import io.kvstore.TableFileBuilder;
import io.kvstore.data.KeyRange;
import io.kvstore.error.CorruptionException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backups and copies of a store with tables that are files. */
final class SealedBackupTest {

    private static final int ENTRIES = 20_000;

    @TempDir
    private Path directory;

    private Path build(String value) {
        Path file = directory.resolve(value + ".sealed");
        try (TableFileBuilder builder = TableFileBuilder.create(file)) {
            for (int i = 0; i < ENTRIES; i++) {
                builder.put("key " + i, bytes(value + i));
            }
            builder.finish();
        }
        return file;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private KVStore open(String name) {
        return new KVStore(directory.resolve(name), KVStoreOptions.defaults());
    }

    private void check(String name, String value) {
        try (KVStore store = open(name)) {
            Table table = store.table("db", "t");
            assertEquals(ENTRIES, table.count(KeyRange.all()));
            assertEquals(value + 7, new String(table.get("key 7"), StandardCharsets.UTF_8));
            assertEquals(0, store.table("db", "empty").count(KeyRange.all()));
            assertEquals(0, store.verify().total());
        }
    }

    @Test
    void a_backup_has_the_file_of_its_moment() {
        Path repository = directory.resolve("repository");
        try (KVStore store = open("store")) {
            store.createDB("db");
            Table table = store.createTable("db", "t", "SEALED", new Properties());
            store.createTable("db", "empty", "SEALED", new Properties());
            table.files().swap(build("one"));
            BackupInfo first = store.backup(repository);
            BackupInfo same = store.backup(repository);
            assertTrue(same.writtenBytes() * 10 < first.writtenBytes(), same + " after " + first);
            store.checkpointTo(directory.resolve("copy"));
            table.files().swap(build("two"));
            store.backup(repository);
        }
        assertEquals(0, Backups.verify(repository).total());
        Backups.restore(repository, 1, directory.resolve("first"));
        check("first", "one");
        assertEquals(List.of(1L, 2L), Backups.keepNewest(repository, 1));
        Backups.restore(repository, 3, directory.resolve("third"));
        check("third", "two");
        check("copy", "one");
    }

    /** The digests of the file are looked at while it is read. */
    @Test
    void a_damaged_file_is_not_backed_up() throws IOException {
        try (KVStore store = open("store")) {
            store.createDB("db");
            store.createTable("db", "t", "SEALED", new Properties()).files().swap(build("one"));
            try (Stream<Path> files = Files.walk(directory.resolve("store"))) {
                Path file = files.filter(path -> path.endsWith("table.sealed"))
                        .findFirst()
                        .orElseThrow();
                byte[] sound = Files.readAllBytes(file);
                for (int at = 0; at < sound.length; at += sound.length / 23) {
                    byte[] damaged = sound.clone();
                    damaged[at] ^= 4;
                    Files.write(file, damaged);
                    CorruptionException e = assertThrows(
                            CorruptionException.class, () -> store.backup(directory.resolve("repository")), "at " + at);
                    assertTrue(e.file().endsWith("table.sealed"), e.file());
                }
                Files.write(file, sound);
            }
            store.backup(directory.resolve("repository"));
        }
        assertEquals(0, Backups.verify(directory.resolve("repository")).total());
    }
}
