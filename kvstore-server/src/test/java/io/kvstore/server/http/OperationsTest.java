package io.kvstore.server.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Table;
import io.kvstore.server.edge.JobKind;
import io.kvstore.server.edge.JobReport;
import io.kvstore.server.edge.JobRequest;
import io.kvstore.server.edge.Jobs;
import io.kvstore.server.edge.ProblemException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Long operations that clients start, look at and cancel. */
final class OperationsTest {

    private static final String OPERATIONS = "/v1/operations";
    private static final String BACKUP = "{\"kind\":\"backup\"}";
    private static final String RESTORE =
            "{\"kind\":\"restore\",\"backup\":1,\"database\":\"d\",\"restored_as\":\"d_old\"}";

    @TempDir
    private Path directory;

    private TestServer server() throws Exception {
        return new TestServer(directory.resolve("store"));
    }

    private static String start(TestServer server, String body) throws Exception {
        TestServer.Answer begun = server.post(OPERATIONS, body).expect(202);
        assertEquals(OPERATIONS + "/" + begun.json().get("id").longValue(), begun.header("Location"));
        return begun.header("Location");
    }

    private static JsonNode await(TestServer server, String path) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        JsonNode operation = server.get(path).expect(200).json();
        while (operation.get("state").stringValue().equals("running") && System.nanoTime() - end < 0) {
            operation = server.get(path).expect(200).json();
        }
        return operation;
    }

    private static JsonNode run(TestServer server, String body, String state) throws Exception {
        JsonNode ended = await(server, start(server, body));
        assertEquals(state, ended.get("state").stringValue(), ended.toString());
        return ended;
    }

    private static String ofTable(String kind) {
        return "{\"kind\":\"" + kind + "\",\"database\":\"d\",\"table\":\"t\"}";
    }

    @Test
    void each_kind_runs_to_its_end() throws Exception {
        try (TestServer server = server()) {
            server.put(TestServer.TABLE + "/keys/k", "one").expect(204);
            for (String kind : List.of("flush", "optimize", "verify")) {
                JsonNode ended = run(server, ofTable(kind), "done");
                assertEquals("d", ended.get("database").stringValue());
                assertEquals("t", ended.get("table").stringValue());
                assertEquals(kind.equals("verify"), ended.has("findings"));
            }
            run(server, "{\"kind\":\"checkpoint\"}", "done");
            JsonNode made = run(server, BACKUP, "done").get("made");
            assertEquals(server.get("/v1/backups").json().get("backups").get(0), made);
            assertEquals(
                    0,
                    run(server, "{\"kind\":\"verify_backups\"}", "done")
                            .get("total")
                            .intValue());
            server.put(TestServer.TABLE + "/keys/k", "two").expect(204);
            JsonNode restored = run(server, RESTORE, "done");
            assertEquals(1, restored.get("backup").intValue());
            assertEquals("d_old", restored.get("restored_as").stringValue());
            assertEquals(restored.get("total_bytes"), restored.get("done_bytes"));
            assertEquals(
                    "one", server.get("/v1/databases/d_old/tables/t/keys/k").text());
            assertEquals("two", server.get(TestServer.TABLE + "/keys/k").text());
            assertEquals(7, server.get(OPERATIONS).json().get("operations").size());
        }
    }

    @Test
    void what_is_wrong_is_refused() throws Exception {
        try (TestServer server = server()) {
            refused(server, "{}", 400, "invalid_request");
            refused(server, "{\"kind\":\"burn\"}", 400, "invalid_request");
            refused(server, "{\"kind\":1}", 400, "invalid_request");
            refused(server, "{\"kind\":\"flush\"}", 400, "invalid_request");
            refused(server, "{\"kind\":\"backup\",\"table\":\"t\"}", 400, "invalid_request");
            refused(server, "{\"kind\":\"restore\",\"backup\":1}", 400, "invalid_request");
            refused(server, RESTORE.replace(":1,", ":\"one\","), 400, "invalid_request");
            refused(server, "backup", 400, "invalid_json");
            refused(server, ofTable("flush").replace("\"t\"", "\"u\""), 404, "table_not_found");
            refused(server, ofTable("flush").replace("\"d\"", "\"e\""), 404, "database_not_found");
            server.get(OPERATIONS + "/5").expectProblem(404, "not_found");
            server.post(OPERATIONS + "/5:cancel", "").expectProblem(404, "not_found");
            server.get(OPERATIONS + "/five").expectProblem(400, "invalid_request");
            server.post(OPERATIONS + "/five:cancel", "").expectProblem(400, "invalid_request");
            server.post(OPERATIONS + "/5:burn", "").expectProblem(404, "route_not_found");
            assertEquals(0, server.get(OPERATIONS).json().get("operations").size());
        }
    }

    private static void refused(TestServer server, String body, int status, String code) throws Exception {
        server.post(OPERATIONS, body).expectProblem(status, code);
    }

    @Test
    void a_failure_is_a_problem_of_the_operation() throws Exception {
        try (TestServer server = server()) {
            JsonNode failed = run(server, RESTORE, "failed");
            assertFalse(failed.toString().contains(directory.toString()), failed.toString());
            run(server, BACKUP, "done");
            failed = run(server, RESTORE.replace(":1,", ":7,"), "failed");
            assertEquals("not_found", failed.get("problem").get("code").stringValue());
            failed = run(server, RESTORE.replace("d_old", "d"), "failed");
            assertEquals("already_exists", failed.get("problem").get("code").stringValue());
            assertEquals(409, failed.get("problem").get("status").intValue());
        }
    }

    @Test
    void a_server_without_a_directory_says_so() throws Exception {
        try (TestServer server = TestServer.withoutBackups(directory.resolve("store"))) {
            for (String body : List.of(BACKUP, "{\"kind\":\"verify_backups\"}", RESTORE)) {
                JsonNode problem = server.post(OPERATIONS, body).expectProblem(400, "invalid_request");
                assertTrue(problem.get("detail").stringValue().contains("--backups"), problem.toString());
            }
            run(server, "{\"kind\":\"checkpoint\"}", "done");
        }
    }

    /** Cancelled at several moments: the operation ends, twice is once, and nothing of it is left. */
    @Test
    void a_cancelled_operation_leaves_nothing() throws Exception {
        try (TestServer server = server()) {
            fill(server.store().table("d", "t"));
            run(server, BACKUP, "done");
            int cancelled = 0;
            for (int i = 0; i < 8; i++) {
                String body = i % 2 == 0 ? RESTORE : BACKUP;
                String path = start(server, body);
                for (int look = 0; look < i; look++) {
                    server.get(path).expect(200);
                }
                if (i == 0) {
                    server.post(OPERATIONS, BACKUP).expectProblem(503, "overloaded");
                }
                server.post(path + ":cancel", "").expect(200);
                server.post(path + ":cancel", "").expect(200);
                JsonNode ended = await(server, path);
                String state = ended.get("state").stringValue();
                if (state.equals("cancelled")) {
                    cancelled++;
                    assertFalse(ended.has("made"), ended.toString());
                    server.get("/v1/databases/d_old").expectProblem(404, "database_not_found");
                } else {
                    assertEquals("done", state, ended.toString());
                    if (i % 2 == 0) {
                        server.store().dropTable("d_old", "t");
                        server.store().dropDB("d_old");
                    }
                }
                assertEquals(
                        ended, server.post(path + ":cancel", "").expect(200).json());
            }
            assertTrue(cancelled > 3, cancelled + " were cancelled");
        }
    }

    @Test
    void a_server_that_stops_ends_what_can_be_cancelled() throws Exception {
        try (TestServer server = server()) {
            fill(server.store().table("d", "t"));
            Jobs jobs = server.edge().jobs();
            long id = jobs.start(JobRequest.of(JobKind.BACKUP)).id();
            server.edge().lifecycle().stop();
            assertTrue(jobs.awaitEnd(System.nanoTime() + TimeUnit.SECONDS.toNanos(120)));
            assertEquals(JobReport.State.CANCELLED, jobs.get(id).state());
            assertThrows(ProblemException.class, () -> jobs.start(JobRequest.of(JobKind.BACKUP)));
        }
    }

    /** A check of a table waits for the optimizing of the table, so it is running while it is asked to stop. */
    @Test
    void what_runs_to_its_end_says_so() throws Exception {
        try (TestServer server = server()) {
            Table table = server.store().createTable("d", "l", "bplus");
            table.put("k", new byte[10]);
            CountDownLatch begun = new CountDownLatch(1);
            CountDownLatch mayEnd = new CountDownLatch(1);
            Thread optimizing = new Thread(() -> table.optimize((done, total) -> {
                begun.countDown();
                return awaited(mayEnd);
            }));
            optimizing.start();
            try {
                assertTrue(awaited(begun));
                String path = start(server, ofTable("verify").replace("\"t\"", "\"l\""));
                JsonNode problem = server.post(path + ":cancel", "").expectProblem(400, "invalid_request");
                assertTrue(problem.get("detail").stringValue().contains("runs to its end"), problem.toString());
                mayEnd.countDown();
                assertEquals("done", await(server, path).get("state").stringValue());
            } finally {
                mayEnd.countDown();
                optimizing.join();
            }
        }
    }

    private static boolean awaited(CountDownLatch latch) {
        try {
            return latch.await(120, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void fill(Table table) {
        SplittableRandom random = new SplittableRandom(1);
        byte[] value = new byte[256 << 10];
        for (int i = 0; i < 200; i++) {
            random.nextBytes(value);
            table.put("key" + i, value.clone());
        }
    }

    @Test
    void the_store_tells_its_figures() throws Exception {
        try (TestServer server = server()) {
            JsonNode stats = server.get("/v1/stats").expect(200).json();
            assertEquals(1, stats.get("tables").size());
            assertTrue(stats.get("memory_budget_bytes").longValue() > 0, stats.toString());
        }
    }
}
