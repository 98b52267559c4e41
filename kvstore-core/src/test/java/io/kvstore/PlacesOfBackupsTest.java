package io.kvstore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.engine.Progress;
import io.kvstore.error.InvalidRequestException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backups and copies are apart from stores, whatever links their paths lead through. */
final class PlacesOfBackupsTest {

    private Path temp;
    private Path home;
    private KVStore store;

    @BeforeEach
    void open(@TempDir Path directory) throws IOException {
        temp = directory.toRealPath();
        home = Files.createDirectory(temp.resolve("home"));
        store = new KVStore(home.resolve("data"), KVStoreOptions.defaults());
        store.createDB("d");
        Files.createSymbolicLink(temp.resolve("link"), home.resolve("data"));
        Files.createSymbolicLink(temp.resolve("deep"), home.resolve("data").resolve("tables"));
        Files.createSymbolicLink(temp.resolve("above"), home);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static List<String> files(Path below) throws IOException {
        try (Stream<Path> all = Files.walk(below)) {
            return all.map(Path::toString).sorted().toList();
        }
    }

    /** The store makes files of its log ahead. */
    private List<String> filesBesideStore() throws IOException {
        return files(temp).stream()
                .filter(file -> !file.startsWith(home.toString()))
                .toList();
    }

    private void requireRefused(Path place, Path because, Runnable call) throws IOException {
        List<String> before = files(temp);
        InvalidRequestException refusal = assertThrows(InvalidRequestException.class, call::run);
        String message = String.valueOf(refusal.getMessage());
        assertTrue(message.startsWith(place + " "), message);
        assertTrue(message.contains(" " + because + ", the directory of "), message);
        assertTrue(message.endsWith("; give a directory that is apart from it"), message);
        assertEquals(before, files(temp));
        assertEquals(0, store.stats().holds().count());
    }

    private List<Path> placesInStore() {
        return List.of(
                home.resolve("data").resolve("backups"),
                home.resolve("data").resolve("tables").resolve("0000000007"),
                temp.resolve("link").resolve("backups"),
                temp.resolve("link").resolve("none").resolve("backups"),
                temp.resolve("deep").resolve("..").resolve("backups"),
                temp.resolve("deep").resolve("backups"));
    }

    @Test
    void a_backup_is_not_in_the_store() throws IOException {
        for (Path place : placesInStore()) {
            requireRefused(place, home.resolve("data"), () -> store.backup(place));
            requireRefused(place, home.resolve("data"), () -> Backups.requireApart(store, place));
        }
        for (Path place : List.of(home.resolve("data"), temp.resolve("link"))) {
            requireRefused(place, home.resolve("data"), () -> store.backup(place));
        }
    }

    @Test
    void a_backup_has_no_store_in_it() throws IOException {
        for (Path place : List.of(home, temp.resolve("above"))) {
            requireRefused(place, home.resolve("data"), () -> store.backup(place));
        }
    }

    @Test
    void a_copy_is_not_in_the_store() throws IOException {
        Files.createDirectory(home.resolve("data").resolve("none"));
        for (Path place : placesInStore()) {
            requireRefused(place, home.resolve("data"), () -> store.checkpointTo(place));
        }
        requireRefused(temp.resolve("link"), home.resolve("data"), () -> store.checkpointTo(temp.resolve("link")));
        KVStoreOptions options = KVStoreOptions.defaults();
        try (KVStore odd = new KVStore(home.resolve("copy.unfinished").resolve("data"), options)) {
            odd.createDB("d");
            Path place = home.resolve("copy");
            assertThrows(InvalidRequestException.class, () -> odd.checkpointTo(place));
            assertTrue(
                    Files.exists(home.resolve("copy.unfinished").resolve("data").resolve("CATALOG")));
        }
    }

    /** Before the checkpoint that a backup or a copy begins with. */
    @Test
    void a_directory_with_other_files_is_refused_at_once() throws IOException {
        Path full = Files.createDirectory(temp.resolve("full"));
        Files.writeString(full.resolve("notes"), "mine");
        store.createTable("d", "t", "MODEL").put(new byte[] {1}, new byte[] {2});
        List<String> before = filesBesideStore();
        long checkpoints = store.stats().checkpoints().count();
        for (Runnable call : List.<Runnable>of(() -> store.backup(full), () -> store.checkpointTo(full))) {
            InvalidRequestException refusal = assertThrows(InvalidRequestException.class, call::run);
            assertTrue(String.valueOf(refusal.getMessage()).contains("is not empty"), refusal::toString);
            assertEquals(before, filesBesideStore());
            assertEquals(checkpoints, store.stats().checkpoints().count());
        }
    }

    @Test
    void a_restored_store_is_in_no_store_and_not_in_the_backups() throws IOException {
        Path repository = temp.resolve("repository");
        BackupInfo made = store.backup(repository);
        Files.createDirectory(home.resolve("data").resolve("none"));
        for (Path place : placesInStore()) {
            requireRefused(
                    place, home.resolve("data"), () -> Backups.restore(repository, made.id(), place, Progress.NONE));
        }
        Files.createSymbolicLink(temp.resolve("within"), repository.resolve("backups"));
        for (Path place :
                List.of(repository.resolve("new"), temp.resolve("within").resolve("new"))) {
            requireRefused(place, repository, () -> Backups.restore(repository, made.id(), place));
        }
    }

    @Test
    void a_backup_and_a_copy_beside_the_store_are_taken() {
        Path beside = home.resolve("data2");
        Path throughLinks = temp.resolve("above").resolve("backups");
        store.backup(beside);
        store.backup(throughLinks);
        store.checkpointTo(home.resolve("data3"));
        Backups.restore(throughLinks, 1, temp.resolve("above").resolve("data4"));
        assertEquals(1, Backups.list(beside).size());
        assertFalse(Files.exists(home.resolve("data").resolve("backups")));
    }
}
