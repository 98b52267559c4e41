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
 * Reads pages one after the other on one connection. The entries of a page are not decoded. Only the continuation is taken from
 * its end, for the next request.
 */
final class ScanReader {

    private static final int PAGE_ENTRIES = 1_000;

    /** The bytes behind the continuation of an answer: the ends of the page and of the result. */
    private static final int END_BYTES = 2;

    /** The bytes of a continuation in front of its key: version, table and code. */
    private static final int CONTINUATION_HEAD_BYTES = 21;

    private ScanReader() {}

    /**
     * The figures of a scan.
     *
     * @param bytes the length of all answers
     * @param pageBytes the length of the first answer
     */
    record Scanned(long bytes, int pageBytes, double seconds) {
        double megabytesPerSecond() {
            return bytes / seconds / 1e6;
        }
    }

    /**
     * How long pages are read.
     *
     * @param warmUpSeconds the time before anything counts, in which code is compiled and values get into the order of their
     *     keys
     */
    record Times(int warmUpSeconds, int seconds) {}

    private static ScanRequest request(byte @Nullable [] continuation) {
        ScanRequest request = new ScanRequest(ThriftCalls.TABLE).setMaxEntries(PAGE_ENTRIES);
        return continuation == null ? request : request.setContinuation(ByteBuffer.wrap(continuation));
    }

    /** Makes the request that follows an answer. */
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
            // The last page has no continuation. The next request begins at the front again.
            Next next = answer ->
                    ThriftCalls.scan(request(answer.length < first.length / 2 ? null : continuation(answer, bytes)));
            return read(socket, first, next, times);
        }
    }

    /** Reads pages of the same size from a server that has them ready. */
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

    /** Decodes the first page to make sure that it is one. Returns the length of its continuation. */
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
