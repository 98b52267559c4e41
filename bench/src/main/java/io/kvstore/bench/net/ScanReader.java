package io.kvstore.bench.net;

import io.kvstore.bench.edge.ThriftCalls;
import io.kvstore.thrift.KVStoreService;
import io.kvstore.thrift.ScanPage;
import io.kvstore.thrift.ScanRequest;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.transport.TMemoryBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads pages one after the other on one connection. Of a page only what the next request needs is looked at: the
 * continuation at its end, which is found without decoding the entries.
 */
final class ScanReader {

    private static final int PAGE_ENTRIES = 1_000;

    /** Behind the continuation of an answer: the ends of the page and of the result. */
    private static final int END_BYTES = 2;

    /** Of a continuation, what is in front of the key: version, table and code. */
    private static final int CONTINUATION_HEAD_BYTES = 21;

    private ScanReader() {}

    /**
     * What was read.
     *
     * @param bytes of answers
     * @param pageBytes of the first answer
     */
    record Scanned(long bytes, int pageBytes, double seconds) {
        double megabytesPerSecond() {
            return bytes / seconds / 1e6;
        }
    }

    /**
     * How long it reads.
     *
     * @param warmUpSeconds before anything counts: code gets compiled, values into the order of their keys
     */
    record Times(int warmUpSeconds, int seconds) {}

    private static ScanRequest request(byte @Nullable [] continuation) {
        ScanRequest request = new ScanRequest(ThriftCalls.TABLE).setMaxEntries(PAGE_ENTRIES);
        return continuation == null ? request : request.setContinuation(ByteBuffer.wrap(continuation));
    }

    /** What to send after an answer. */
    @FunctionalInterface
    private interface Next {
        byte[] request(byte[] answer) throws TException;
    }

    static Scanned scan(InetSocketAddress address, Times times) throws IOException, TException {
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            socket.getOutputStream().write(ThriftCalls.scan(request(null)));
            byte[] first = in.readNBytes(in.readInt());
            int bytes = check(first);
            // The last page has no continuation: the next one begins at the front again.
            Next next = answer ->
                    ThriftCalls.scan(request(answer.length < first.length / 2 ? null : continuation(answer, bytes)));
            return read(socket, first, next, times);
        }
    }

    /** The same pages from a server that has them ready. */
    static Scanned stream(InetSocketAddress address, Times times) throws IOException, TException {
        byte[] request = ThriftCalls.scan(request(new byte[CONTINUATION_HEAD_BYTES]));
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            return read(socket, new byte[0], answer -> request, times);
        }
    }

    private static Scanned read(Socket socket, byte[] first, Next next, Times times) throws IOException, TException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        byte[] answer = first;
        long bytes = 0;
        long begun = System.nanoTime() + TimeUnit.SECONDS.toNanos(times.warmUpSeconds());
        long end = begun + TimeUnit.SECONDS.toNanos(times.seconds());
        while (System.nanoTime() - end < 0) {
            socket.getOutputStream().write(next.request(answer));
            int length = in.readInt();
            if (length != answer.length) {
                answer = new byte[length];
            }
            in.readFully(answer);
            bytes += System.nanoTime() - begun < 0 ? 0 : length;
        }
        return new Scanned(bytes, Math.max(first.length, answer.length), (System.nanoTime() - begun) / 1e9);
    }

    private static byte[] continuation(byte[] answer, int bytes) {
        int end = answer.length - END_BYTES;
        return Arrays.copyOfRange(answer, end - bytes, end);
    }

    /** Decodes the first page, so that it is known that there is one; returns the length of its continuation. */
    private static int check(byte[] answer) throws TException {
        TMemoryBuffer buffer = new TMemoryBuffer(answer.length);
        buffer.write(answer);
        TBinaryProtocol protocol = new TBinaryProtocol(buffer);
        protocol.readMessageBegin();
        KVStoreService.scan_result result = new KVStoreService.scan_result();
        result.read(protocol);
        ScanPage page = result.getSuccess();
        if (page == null || page.getEntriesSize() != PAGE_ENTRIES || !page.isSetContinuation()) {
            throw new TException("the first page is not whole");
        }
        byte[] continuation = page.getContinuation();
        if (!Arrays.equals(continuation, continuation(answer, continuation.length))
                || continuation.length <= CONTINUATION_HEAD_BYTES) {
            throw new TException("the continuation is not at the end of the page");
        }
        return continuation.length;
    }
}
