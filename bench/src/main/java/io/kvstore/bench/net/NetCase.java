package io.kvstore.bench.net;

import io.kvstore.bench.edge.Template;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One row: the same load on several servers.
 *
 * @param name what is done
 * @param connections from how many connections
 * @param requests what is sent to each server, by the server's name
 */
record NetCase(String name, int connections, Map<String, Sent> requests) {

    /**
     * What is sent to a server.
     *
     * @param template the request
     * @param answerBytes how long each answer is
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
