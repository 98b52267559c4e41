package io.kvstore.bench.net;

import io.kvstore.bench.edge.Template;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One row of the report: the same load on several servers.
 *
 * @param name the name of the load
 * @param connections the number of connections
 * @param requests the requests for each server, by the server's name
 */
record NetCase(String name, int connections, Map<String, Sent> requests) {

    /**
     * The requests for a server.
     *
     * @param template the request
     * @param answerBytes the length of each answer
     */
    record Sent(Template template, long answerBytes) {}

    static NetCase of(String name, int connections) {
        return new NetCase(name, connections, new LinkedHashMap<>());
    }

    NetCase on(String server, Sent sent) {
        requests.put(server, sent);
        return this;
    }

    String title() {
        return name + ", " + connections + (connections == 1 ? " connection" : " connections");
    }
}
