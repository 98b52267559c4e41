package io.kvstore.server.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.Table;
import io.kvstore.TableFileBuilder;
import io.kvstore.data.KeyRange;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Tables whose contents are files, over HTTP. */
final class FilesTest {

    private static final String SEALED = "/v1/databases/d/tables/s";
    private static final String FILE = SEALED + "/file";
    private static final int ENTRIES = 2_000;

    @TempDir
    private Path directory;

    private TestServer server;

    @BeforeEach
    void start() throws Exception {
        server = new TestServer(directory.resolve("store"));
        server.put(SEALED, "{\"engine\":\"sealed\"}").expect(201);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private byte[] build(String value) throws Exception {
        Path file = directory.resolve(value + ".sealed");
        try (TableFileBuilder builder = TableFileBuilder.create(file)) {
            for (int i = 0; i < ENTRIES; i++) {
                builder.put("key" + i, (value + i).getBytes(StandardCharsets.UTF_8));
            }
            builder.finish();
        }
        return Files.readAllBytes(file);
    }

    private TestServer.Answer upload(byte[] file, String... headers) throws Exception {
        return server.send("PUT", FILE, file, headers);
    }

    private void holds(String value) throws Exception {
        assertEquals(value + 7, server.get(SEALED + "/keys/key7").expect(200).text());
    }

    @Test
    void a_file_is_uploaded_read_and_swapped_back() throws Exception {
        byte[] one = build("one");
        byte[] two = build("two");
        server.get(FILE).expectProblem(404, "not_found");
        TestServer.Answer answer = upload(one).expect(200);
        JsonNode described = answer.json();
        assertEquals(ENTRIES, described.get("entries").intValue());
        assertEquals(one.length, described.get("bytes").intValue());
        String tag = answer.header("ETag");
        assertEquals("\"" + described.get("id").stringValue() + "\"", tag);
        holds("one");
        assertEquals(
                "{\"count\":" + ENTRIES + "}",
                server.get(SEALED + "/count").expect(200).text().strip());
        assertTrue(server.get(SEALED + "/entries?prefix=key7&limit=2")
                .expect(200)
                .text()
                .contains("one70"));
        TestServer.Answer whole = server.get(FILE).expect(200);
        assertArrayEquals(one, whole.response().body());
        assertEquals(tag, whole.header("ETag"));
        server.get(FILE, "If-None-Match", tag).expect(304);
        upload(two, "If-None-Match", "*").expectProblem(412, "condition_failed");
        upload(two, "If-Match", "\"0123\"").expectProblem(412, "condition_failed");
        upload(two, "If-Match", "W/" + tag).expectProblem(412, "condition_failed");
        upload(two, "If-Match", "\"0123\", " + tag).expect(200);
        holds("two");
        upload(one, "If-Match", tag).expectProblem(412, "condition_failed");
        upload(one, "If-Match", "*").expect(200);
        holds("one");
        server.post(SEALED + ":verify", "").expect(200);
        server.post(SEALED + ":truncate?confirm=s", "").expect(200);
        server.get(FILE).expectProblem(404, "not_found");
        upload(one, "If-Match", "*").expectProblem(412, "condition_failed");
        upload(one, "If-None-Match", "*").expect(200);
        holds("one");
    }

    @Test
    void parts_of_a_file() throws Exception {
        byte[] one = build("one");
        String tag = upload(one).expect(200).header("ETag");
        int size = one.length;
        checkPart(one, 0, 1, "bytes=0-0");
        checkPart(one, 100, 5_100, "bytes=100-5099");
        checkPart(one, 70_000 % size, size, "bytes=" + 70_000 % size + "-");
        checkPart(one, size - 64, size, "bytes=-64");
        checkPart(one, size - 1, size, "bytes=" + (size - 1) + "-" + size);
        checkPart(one, 0, size, "bytes=-" + (size + 1));
        for (String beyond : List.of("bytes=" + size + "-", "bytes=-0")) {
            TestServer.Answer refused = server.get(FILE, "Range", beyond);
            refused.expectProblem(416, "range_not_satisfiable");
            assertEquals("bytes */" + size, refused.header("Content-Range"));
        }
        for (String other : List.of("bytes=0-1,5-6", "bytes=5-1", "lines=1-2", "bytes=-", "bytes=x-")) {
            assertEquals(
                    size,
                    server.get(FILE, "Range", other).expect(200).response().body().length);
        }
        server.get(FILE, "Range", "bytes=0-0", "If-Range", tag).expect(206);
        server.get(FILE, "Range", "bytes=0-0", "If-Range", "\"other\"").expect(200);
        server.get(FILE, "Range", "bytes=0-0", "If-Match", "\"other\", " + tag).expect(206);
        server.get(FILE, "Range", "bytes=0-0", "If-Match", "\"other\"").expectProblem(412, "condition_failed");
        server.get(FILE, "If-Match", "no tag").expectProblem(400, "invalid_request");
        TestServer.Answer head = server.send("HEAD", FILE, "").expect(200);
        assertEquals(Integer.toString(size), head.header("Content-Length"));
        assertEquals("bytes", head.header("Accept-Ranges"));
    }

    private void checkPart(byte[] file, int first, int end, String range) throws Exception {
        TestServer.Answer part = server.get(FILE, "Range", range).expect(206);
        assertArrayEquals(Arrays.copyOfRange(file, first, end), part.response().body(), range);
        assertEquals("bytes " + first + "-" + (end - 1) + "/" + file.length, part.header("Content-Range"));
    }

    @Test
    void what_is_no_sound_file_changes_nothing() throws Exception {
        byte[] one = build("one");
        upload(one).expect(200);
        byte[] two = build("two");
        for (int at : new int[] {0, 100, 5_000, two.length / 2, two.length - 1}) {
            byte[] damaged = two.clone();
            damaged[at] ^= 1;
            String detail = upload(damaged)
                    .expectProblem(400, "invalid_file")
                    .get("detail")
                    .stringValue();
            assertTrue(detail.startsWith("the file"), detail);
            assertTrue(!detail.contains("tables/"), detail);
        }
        for (int length : new int[] {1, 8, 4_096, two.length - 1}) {
            upload(Arrays.copyOf(two, length)).expectProblem(400, "invalid_file");
        }
        upload(new byte[0]).expectProblem(400, "invalid_file");
        upload("{\"key\":\"a\"}".getBytes(StandardCharsets.UTF_8)).expectProblem(400, "invalid_file");
        upload(two, "If-Match", "no tag").expectProblem(400, "invalid_request");
        holds("one");
        assertEquals(1, tables());
    }

    private long tables() throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        long count;
        do { // files that nobody reads any more go in the background
            count = 0;
            try (DirectoryStream<Path> tables = Files.newDirectoryStream(directory.resolve("store/tables"))) {
                for (Path table : tables) {
                    count += Files.exists(table.resolve("table.sealed")) ? 1 : 0;
                }
            }
        } while (count > 1 && System.nanoTime() - end < 0);
        return count;
    }

    /** A connection that ends before its file does. */
    @Test
    void half_an_upload_changes_nothing() throws Exception {
        byte[] one = build("one");
        upload(one).expect(200);
        byte[] two = build("two");
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            OutputStream out = socket.getOutputStream();
            out.write(("PUT " + FILE + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + two.length + "\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
            out.write(two, 0, two.length / 2);
            out.flush();
        }
        holds("one");
        upload(two).expect(200);
        holds("two");
        assertEquals(1, tables(), "files; the half one has gone");
    }

    @Test
    void writes_are_refused_and_other_tables_take_no_files() throws Exception {
        byte[] one = build("one");
        upload(one).expect(200);
        String refusal =
                "table s is a SEALED table, which takes no writes: build a file of the entries that it is to have"
                        + " (kvstore build), and swap it in";
        for (TestServer.Answer answer : List.of(
                server.put(SEALED + "/keys/a", "1"),
                server.send("DELETE", SEALED + "/keys/key1", ""),
                server.post(SEALED + "/keys/key1:add", "{\"delta\":1}"),
                server.post(SEALED + "/import", "{\"key\":\"a\",\"value\":\"b\"}\n"))) {
            assertEquals(
                    refusal,
                    answer.expectProblem(400, "invalid_request").get("detail").stringValue());
        }
        server.get(TestServer.TABLE + "/file").expectProblem(400, "invalid_request");
        server.send("PUT", TestServer.TABLE + "/file", one).expectProblem(400, "invalid_request");
        holds("one");
    }

    @Test
    void a_reader_of_the_old_file_keeps_it() throws Exception {
        upload(build("one")).expect(200);
        Table table = server.store().table("d", "s");
        try (var snapshot = server.store().snapshot()) {
            upload(build("two")).expect(200);
            assertEquals(ENTRIES, snapshot.count(table, KeyRange.all()));
            assertArrayEquals(
                    "one7".getBytes(StandardCharsets.UTF_8),
                    snapshot.get(table, "key7".getBytes(StandardCharsets.UTF_8)));
        }
        holds("two");
    }

    @Test
    void a_table_becomes_a_sealed_one() throws Exception {
        String table = "/v1/databases/d/tables/u";
        server.post(table + ":seal", "").expectProblem(404, "table_not_found");
        server.post(SEALED + ":seal", "").expectProblem(400, "invalid_request");
        server.put(table, "{\"engine\":\"model\"}").expect(201);
        server.put(table + "/keys/k", "v").expect(204);
        server.post(table + ":seal?codec=none-such", "").expectProblem(400, "invalid_request");
        server.put(table + "/keys/k2", "v").expect(204);
        JsonNode sealed = server.post(table + ":seal", "").expect(200).json();
        assertEquals("sealed", sealed.get("engine").stringValue());
        assertEquals("v", server.get(table + "/keys/k2").expect(200).text());
        server.put(table + "/keys/k", "w").expectProblem(400, "invalid_request");
        byte[] file = server.get(table + "/file").expect(200).response().body();
        upload(file).expect(200);
        assertEquals("2", server.get(SEALED + "/count").json().get("count").toString());
    }
}
