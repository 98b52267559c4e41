package io.kvstore.server.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Backups;
import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Backups that clients ask for. */
final class BackupsTest {

    private static final String BACKUPS = "/v1/backups";

    @TempDir
    private Path directory;

    @Test
    void a_backup_is_made_listed_verified_restored_and_deleted() throws Exception {
        try (TestServer server = new TestServer(directory.resolve("store"))) {
            server.put(TestServer.TABLE + "/keys/k", "one").expect(204);
            JsonNode first = server.post(BACKUPS, "").expect(201).json();
            assertEquals(1, first.get("id").intValue());
            assertTrue(
                    first.get("store_bytes").longValue() > 0 && first.get("lsn").longValue() > 0, first.toString());
            server.put(TestServer.TABLE + "/keys/k", "two").expect(204);
            server.post(BACKUPS, "").expect(201);
            assertEquals(2, server.get(BACKUPS).json().get("backups").size());
            JsonNode sound = server.post(BACKUPS + ":verify", "").expect(200).json();
            assertEquals(0, sound.get("total").intValue());
            Backups.restore(directory.resolve("backups"), 1, directory.resolve("restored"));
            try (KVStore restored = new KVStore(directory.resolve("restored"), KVStoreOptions.defaults())) {
                assertArrayEquals(
                        "one".getBytes(StandardCharsets.UTF_8),
                        restored.get("d", "t", "k".getBytes(StandardCharsets.UTF_8)));
            }
            server.send("DELETE", BACKUPS + "/1", "").expect(204);
            server.send("DELETE", BACKUPS + "/1", "").expectProblem(404, "not_found");
            server.send("DELETE", BACKUPS + "/one", "").expectProblem(400, "invalid_request");
            assertEquals(1, server.get(BACKUPS).json().get("backups").size());
        }
    }

    @Test
    void a_directory_that_leads_into_the_store_is_refused() throws Exception {
        try (TestServer server = new TestServer(directory.resolve("store"))) {
            Files.createSymbolicLink(directory.resolve("backups"), directory.resolve("store"));
            String said = server.post(BACKUPS, "")
                    .expectProblem(400, "invalid_request")
                    .toString();
            assertTrue(said.contains("is not apart from that of the store"), said);
            assertFalse(said.contains(directory.toString()), said);
        }
    }

    @Test
    void what_cannot_be_is_refused() throws Exception {
        Files.createDirectories(directory.resolve("backups"));
        Files.writeString(directory.resolve("backups").resolve("letter"), "dear");
        try (TestServer server = new TestServer(directory.resolve("store"))) {
            server.post(BACKUPS, "").expectProblem(400, "invalid_request");
            server.get(BACKUPS).expectProblem(400, "invalid_request");
        }
    }
}
