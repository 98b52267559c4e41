package io.kvstore.server.http.chain;

import io.kvstore.server.http.message.Limits;
import io.undertow.io.IoCallback;
import io.undertow.io.Sender;
import io.undertow.server.HttpServerExchange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends an answer that is in memory, each piece when the previous one has left. No thread waits for the client. A client that
 * takes the answer too slowly loses its connection: the memory of the answer is a part of that of all answers, so a few such
 * clients would keep all others from being answered.
 */
final class PieceSender implements IoCallback {

    private final Supplier<@Nullable ByteBuffer> pieces;
    private final LongSupplier nanoTime;
    private final IoCallback end;
    private final long begunNanos;
    private long sentBytes;

    /** @param pieces makes the pieces; null after the last one */
    PieceSender(Supplier<@Nullable ByteBuffer> pieces) {
        this(pieces, System::nanoTime, IoCallback.END_EXCHANGE);
    }

    /**
     * @param nanoTime the present time
     * @param end is told of the end of the answer, or of its failure
     */
    PieceSender(Supplier<@Nullable ByteBuffer> pieces, LongSupplier nanoTime, IoCallback end) {
        this.pieces = pieces;
        this.nanoTime = nanoTime;
        this.end = end;
        this.begunNanos = nanoTime.getAsLong();
    }

    /** The pieces of a body. */
    static Supplier<@Nullable ByteBuffer> piecesOf(byte[] body) {
        ByteBuffer rest = ByteBuffer.wrap(body);
        return () -> {
            int bytes = Math.min(rest.remaining(), Limits.STREAM_CHUNK_BYTES);
            if (bytes == 0) {
                return null;
            }
            ByteBuffer piece = rest.slice(rest.position(), bytes);
            rest.position(rest.position() + bytes);
            return piece;
        };
    }

    @Override
    public void onComplete(@Nullable HttpServerExchange exchange, Sender sender) {
        ByteBuffer piece = pieces.get();
        if (piece == null) {
            sender.close(end);
        } else if (nanoTime.getAsLong() - begunNanos > Limits.ANSWER_NANOS + sentBytes * Limits.ANSWER_NANOS_PER_BYTE) {
            onException(exchange, sender, new IOException("the client takes its answer too slowly"));
        } else {
            sentBytes += piece.remaining();
            sender.send(piece, this);
        }
    }

    @Override
    public void onException(@Nullable HttpServerExchange exchange, Sender sender, IOException exception) {
        end.onException(exchange, sender, exception);
    }
}
