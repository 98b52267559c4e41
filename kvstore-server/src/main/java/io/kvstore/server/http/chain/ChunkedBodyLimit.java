package io.kvstore.server.http.chain;

import io.kvstore.server.http.message.Limits;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.Headers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.xnio.IoUtils;
import org.xnio.channels.StreamSinkChannel;
import org.xnio.conduits.AbstractStreamSourceConduit;
import org.xnio.conduits.StreamSourceConduit;

/**
 * Bounds the bytes that are read of a body whose length is not stated, including the rest of a refused one. The library fixes
 * its own limit for such bodies before the route is known, so that limit is not used.
 */
public final class ChunkedBodyLimit extends AbstractStreamSourceConduit<StreamSourceConduit> {

    private final HttpServerExchange exchange;
    private long bytes;

    private ChunkedBodyLimit(StreamSourceConduit next, HttpServerExchange exchange) {
        super(next);
        this.exchange = exchange;
    }

    /** Bounds the body of a request, unless its route takes bodies of any length. */
    public static void guard(HttpServerExchange exchange) {
        if (exchange.getRequestHeaders().contains(Headers.TRANSFER_ENCODING)) {
            exchange.addRequestWrapper((next, any) -> new ChunkedBodyLimit(next.create(), exchange));
        }
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        int count = super.read(target);
        add(count);
        return count;
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        long count = super.read(targets, offset, length);
        add(count);
        return count;
    }

    @Override
    public long transferTo(long position, long count, FileChannel target) throws IOException {
        long moved = super.transferTo(position, count, target);
        add(moved);
        return moved;
    }

    @Override
    public long transferTo(long count, ByteBuffer through, StreamSinkChannel target) throws IOException {
        long moved = super.transferTo(count, through, target);
        add(moved + through.remaining());
        return moved;
    }

    private void add(long count) throws IOException {
        bytes += Math.max(count, 0);
        if (bytes > Limits.REFUSED_BYTES && !RoutingHandler.takesAnyLength(exchange)) {
            IoUtils.safeClose(exchange.getConnection());
            throw new IOException("the client sends on after its request was refused");
        }
    }
}
