package io.kvstore.server.http.message;

import io.kvstore.server.edge.Problem;
import java.io.IOException;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An answer: a whole one, or one that is written while it is made. */
public sealed interface Reply {

    /**
     * An answer whose body is in memory.
     *
     * @param status the HTTP status
     * @param headers further headers
     * @param body the body, may be empty
     */
    record Whole(int status, Map<String, String> headers, byte[] body) implements Reply {

        /** This answer with one more header. */
        public Whole with(String name, String value) {
            Map<String, String> more = new LinkedHashMap<>(headers);
            more.put(name, value);
            return new Whole(status, more, body);
        }
    }

    /**
     * An answer that is written by a worker thread and waits for a slow client.
     *
     * @param status the HTTP status
     * @param headers the media type and further headers
     * @param writer writes the answer
     */
    record Streamed(int status, Map<String, String> headers, Writer writer) implements Reply {}

    /**
     * An answer with status 200 that is sent in pieces. Its content is known. Each piece is made when the previous one has
     * left, and no thread waits for the client.
     *
     * @param contentType the media type
     * @param writer makes the pieces
     */
    record Pieces(String contentType, PieceWriter writer) implements Reply {}

    /** Makes an answer piece by piece. */
    interface PieceWriter {
        /** The next piece; null after the last one. */
        byte @Nullable [] next();

        /** Whether there are no more pieces. */
        boolean isEnded();
    }

    /** Writes an answer. It is closed in any case, even if it was never asked to write. */
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
