package io.kvstore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.error.InvalidRequestException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A directory that is to be new has a name of its own. */
final class NewDirectoryNamesTest {

    @TempDir
    private Path temp;

    private static void requireRefused(Runnable call) {
        InvalidRequestException refusal = assertThrows(InvalidRequestException.class, call::run);
        assertTrue(
                String.valueOf(refusal.getMessage()).contains("is not the name of a new directory"),
                refusal.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {".", "..", "a\\b", "empty/.", "empty/.."})
    void what_is_no_name_is_refused_as_that(String name) {
        Path repository = temp.resolve("repository");
        Path target = temp.resolve(name);
        try (KVStore store = new KVStore(temp.resolve("store"), KVStoreOptions.defaults())) {
            store.createDB("d");
            BackupInfo made = store.backup(repository);
            requireRefused(() -> Backups.restore(repository, made.id(), target));
            requireRefused(() -> store.checkpointTo(target));
            assertEquals(0, store.stats().holds().count());
        }
        requireRefused(() -> Backups.restore(repository, 1, Path.of("")));
    }
}
