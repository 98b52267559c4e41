package io.kvstore.cli.http;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One request.
 *
 * @param path the path and the query, encoded
 * @param body the body; null for none
 */
record Call(Purpose purpose, String method, String path, Map<String, String> headers, byte @Nullable [] body) {

    /** What a call does, which says when it may be repeated. */
    enum Purpose {
        /** Changes nothing: may be repeated. */
        READ,
        /** Changes something: is not sent again unless the server has refused it, or nothing of it was sent. */
        WRITE
    }

    static Call read(String path) {
        return new Call(Purpose.READ, "GET", path, Map.of(), null);
    }

    /** A read whose request has a body. */
    static Call read(String path, byte[] json) {
        return new Call(Purpose.READ, "POST", path, Map.of(), json);
    }

    static Call write(String method, String path, byte @Nullable [] body) {
        return new Call(Purpose.WRITE, method, path, Map.of(), body);
    }

    /** This call with one more header; without it if the value is null. */
    Call with(String name, @Nullable String value) {
        if (value == null) {
            return this;
        }
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Call(purpose, method, path, more, body);
    }
}
