package io.kvstore.server;

import io.kvstore.server.KillHistory.Change;
import io.kvstore.server.KillHistory.Place;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A client that writes, overwrites and deletes its own keys one request after the other, and remembers what it was told. */
final class KillClient {

    static final String BASE = "/v1/databases/d/tables/";

    /** Of both durabilities and both engines. */
    static final String[] TABLES = {"synced", "buffered-tree", "synced-hash", "synced-tree", "buffered", "buffered-hash"
    };

    private static final int KEYS = 150;

    private final String name;
    private final Random random;
    private final KillHistory history = new KillHistory();
    private long requests;

    KillClient(String name, long seed) {
        this.name = name;
        this.random = new Random(seed);
    }

    KillHistory history() {
        return history;
    }

    /** Sends requests until the server does not answer; returns what an answer says that it must not, else null. */
    @Nullable
    String run(HttpClient http, int port) throws InterruptedException {
        while (true) {
            Change change = next();
            history.sent(change);
            try {
                HttpResponse<String> answer = http.send(request(port, change), BodyHandlers.ofString());
                if (answer.statusCode() == 503 && answer.body().contains("\"code\":\"stopping\"")) {
                    return null;
                }
                if (answer.statusCode() / 100 != 2) {
                    return answer.statusCode() + " " + answer.body();
                }
            } catch (IOException e) {
                return null;
            }
            history.acknowledge();
        }
    }

    private Change next() {
        int kind = random.nextInt(10);
        Place place = place();
        if (kind == 0) {
            int table = List.of(TABLES).indexOf(place.table());
            Place other = new Place(TABLES[(table + 1) % TABLES.length], place.key());
            Map<Place, String> puts = new HashMap<>(Map.of(place, value(), other, value()));
            puts.put(place(), value());
            return new Change(puts, false);
        }
        return new Change(Map.of(place, value()), kind <= 3);
    }

    private Place place() {
        return new Place(TABLES[random.nextInt(TABLES.length)], name + "-" + random.nextInt(KEYS));
    }

    /** A value no other request has; every second one is so long that it is kept apart from its key. */
    private String value() {
        requests++;
        return name + "." + requests + "." + "x".repeat(random.nextBoolean() ? 8 : 300 + random.nextInt(500));
    }

    private static HttpRequest request(int port, Change change) {
        Iterator<Map.Entry<Place, String>> puts = change.puts().entrySet().iterator();
        String root = "http://127.0.0.1:" + port;
        if (change.puts().size() > 1) {
            String mutations = change.puts().entrySet().stream()
                    .map(put -> "{\"op\":\"put\",\"table\":\"%s\",\"key\":\"%s\",\"value\":\"%s\"}"
                            .formatted(put.getKey().table(), put.getKey().key(), put.getValue()))
                    .collect(Collectors.joining(","));
            return HttpRequest.newBuilder(URI.create(root + "/v1/databases/d/batch"))
                    .POST(BodyPublishers.ofString("{\"mutations\":[" + mutations + "]}"))
                    .build();
        }
        Map.Entry<Place, String> put = puts.next();
        HttpRequest.Builder one = HttpRequest.newBuilder(URI.create(
                root + BASE + put.getKey().table() + "/keys/" + put.getKey().key()));
        return (change.isDelete() ? one.DELETE() : one.PUT(BodyPublishers.ofString(put.getValue()))).build();
    }
}
