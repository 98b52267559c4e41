package io.kvstore.server.http.message;

import io.kvstore.server.edge.Problem;
import java.io.IOException;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An answer: a whole one, or one that is written as it is made. */
public sealed interface Reply {

    /**
     * An answer that is known.
     *
     * @param status the HTTP status
     * @param headers further headers
     * @param body the body, maybe empty
     */
    record Whole(int status, Map<String, String> headers, byte[] body) implements Reply {

        /** This answer with one header more. */
        public Whole with(String name, String value) {
            Map<String, String> more = new LinkedHashMap<>(headers);
            more.put(name, value);
            return new Whole(status, more, body);
        }
    }

    /**
     * An answer with status 200 that is written by a worker thread and waits for a slow client.
     *
     * @param contentType its type
     * @param writer writes it
     */
    record Streamed(String contentType, Writer writer) implements Reply {}

    /**
     * An answer with status 200 that is known and sent in pieces, each made when the one before has left, by no thread that
     * waits.
     *
     * @param contentType its type
     * @param writer makes the pieces
     */
    record Pieces(String contentType, PieceWriter writer) implements Reply {}

    /** Makes an answer piece by piece. */
    interface PieceWriter {
        /** The next piece; null after the last. */
        byte @Nullable [] next();

        /** Whether there is no piece more. */
        boolean isEnded();
    }

    /** Writes an answer; closed in any case, whether it was asked to write or not. */
    interface Writer extends AutoCloseable {
        void write(OutputStream out) throws IOException;

        @Override
        void close();
    }

    static Whole json(int status, Object body) {
        return new Whole(status, Map.of("Content-Type", "application/json"), Json.bytes(body));
    }

    static Whole ok(Object body) {
        return json(200, body);
    }

    static Whole noContent() {
        return new Whole(204, Map.of(), new byte[0]);
    }

    static Whole of(Problem problem, String requestId) {
        Whole reply = new Whole(
                problem.code().status(),
                Map.of("Content-Type", "application/problem+json"),
                Json.bytes(problem.asJson(requestId)));
        return problem.code().isTransient() ? reply.with("Retry-After", "1") : reply;
    }
}
