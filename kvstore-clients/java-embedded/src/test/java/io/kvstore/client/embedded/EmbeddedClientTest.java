package io.kvstore.client.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.client.ClientRestore;
import io.kvstore.client.ClientSnapshot;
import io.kvstore.client.KVClient;
import io.kvstore.client.contract.AdminScenarios;
import io.kvstore.client.contract.BackupScenarios;
import io.kvstore.client.contract.BatchScenarios;
import io.kvstore.client.contract.KeyScenarios;
import io.kvstore.client.contract.LoadScenarios;
import io.kvstore.client.contract.ScanScenarios;
import io.kvstore.client.contract.SnapshotScenarios;
import io.kvstore.client.error.ConnectionFailedException;
import io.kvstore.client.error.InvalidRequestException;
import io.kvstore.client.error.UnavailableException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** The client over a store in the process plays all scenarios that need no network. */
final class EmbeddedClientTest
        implements KeyScenarios,
                BatchScenarios,
                ScanScenarios,
                SnapshotScenarios,
                AdminScenarios,
                BackupScenarios,
                LoadScenarios {

    private final Path directory;
    private final KVStore store;
    private final KVClient client;

    EmbeddedClientTest(@TempDir Path directory) {
        this.directory = directory;
        this.store = open(directory.resolve("store"));
        this.client = EmbeddedClient.over(store, directory.resolve("backups"));
    }

    private static KVStore open(Path directory) {
        return new KVStore(
                directory, KVStoreOptions.defaults().withMaxValueBytes(16 << 20).withMemoryBytes(64 << 20));
    }

    @Override
    public KVClient client() {
        return client;
    }

    @Override
    public String database() {
        return "embedded";
    }

    @AfterAll
    @Override
    public void leave() {
        ScanScenarios.super.leave();
        client.close();
        store.close();
    }

    @Test
    void a_closed_client_leaves_the_store_open() {
        try (KVStore other = open(directory.resolve("other"))) {
            KVClient closed = EmbeddedClient.over(other);
            ClientSnapshot snapshot = closed.snapshot();
            assertEquals(1, other.stats().openSnapshots());
            closed.close();
            closed.close();
            assertThrows(ConnectionFailedException.class, closed::databases);
            assertThrows(ConnectionFailedException.class, closed::snapshot);
            assertEquals(0, other.stats().openSnapshots());
            snapshot.close();
            other.createDB("d");
            assertTrue(EmbeddedClient.over(other).databases().contains("d"));
        }
    }

    @Test
    void a_client_without_a_directory_makes_no_backups() {
        KVClient without = EmbeddedClient.over(store);
        ClientRestore restore = new ClientRestore(1, "a", "b");
        for (Executable call : List.<Executable>of(
                without::backups,
                without::startBackup,
                without::startVerifyBackups,
                () -> without.startRestore(restore),
                () -> without.deleteBackup(1))) {
            InvalidRequestException refused = assertThrows(InvalidRequestException.class, call);
            assertTrue(String.valueOf(refused.getMessage()).contains("over(store, directory)"), refused::toString);
        }
    }

    @Test
    void a_closed_store_is_unavailable() {
        KVStore other = open(directory.resolve("closed"));
        KVClient client = EmbeddedClient.over(other);
        other.close();
        assertThrows(UnavailableException.class, client::databases);
    }
}
