package io.kvstore.bench.edge;

import io.kvstore.thrift.Entry;
import io.kvstore.thrift.GetResult;
import io.kvstore.thrift.KVStoreService;
import io.kvstore.thrift.ScanPage;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.thrift.TBase;
import org.apache.thrift.TException;
import org.apache.thrift.TProcessor;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TMessage;
import org.apache.thrift.protocol.TMessageType;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.server.TServer;
import org.apache.thrift.server.TThreadPoolServer;
import org.apache.thrift.server.TThreadedSelectorServer;
import org.apache.thrift.transport.TNonblockingServerSocket;
import org.apache.thrift.transport.TServerSocket;
import org.apache.thrift.transport.TTransportException;
import org.apache.thrift.transport.layered.TFramedTransport;

/**
 * The library's own servers with the calls of the service. They decode a call and answer it without any work. The difference
 * between their rate and that of a server with a store is the cost of the store.
 */
public final class EchoServer {

    private static final int VALUE_BYTES = 500;
    private static final int PAGE_ENTRIES = 1_000;
    private static final GetResult FOUND = new GetResult().setValue(ByteBuffer.allocate(VALUE_BYTES));

    private static final ScanPage PAGE = page();

    private EchoServer() {}

    /** A page like those of the store. Each entry has other bytes, so that they come from memory too. */
    private static ScanPage page() {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < PAGE_ENTRIES; i++) {
            entries.add(new Entry(ByteBuffer.wrap(Template.key(i))).setValue(ByteBuffer.allocate(VALUE_BYTES)));
        }
        return new ScanPage(entries).setContinuation(ByteBuffer.wrap(Template.key(0)));
    }

    /** The library's servers. */
    public enum Kind {
        VIRTUAL_THREADS,
        PLATFORM_THREADS,
        SELECTORS
    }

    /** Serves until the process ends. Prints the port. The argument is the kind. */
    public static void main(String[] arguments) throws TTransportException {
        Kind kind = Kind.valueOf(arguments[0]);
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        if (kind == Kind.SELECTORS) {
            TNonblockingServerSocket socket = new TNonblockingServerSocket(any);
            int cores = Runtime.getRuntime().availableProcessors();
            run(
                    new TThreadedSelectorServer(new TThreadedSelectorServer.Args(socket)
                            .selectorThreads(cores)
                            .workerThreads(2 * cores)
                            .protocolFactory(new TBinaryProtocol.Factory(true, true))
                            .processor(new Bare())),
                    socket.getPort());
            return;
        }
        ExecutorService threads = kind == Kind.VIRTUAL_THREADS
                ? Executors.newVirtualThreadPerTaskExecutor()
                : Executors.newCachedThreadPool();
        TServerSocket socket = new TServerSocket(any);
        run(
                new TThreadPoolServer(new TThreadPoolServer.Args(socket)
                        .executorService(threads)
                        .transportFactory(new TFramedTransport.Factory())
                        .protocolFactory(new TBinaryProtocol.Factory(true, true))
                        .processor(new Bare())),
                socket.getServerSocket().getLocalPort());
    }

    private static void run(TServer server, int port) {
        System.out.println("ready " + port);
        System.out.flush();
        server.serve();
    }

    /** Decodes a call and gives a prepared answer. */
    private static final class Bare implements TProcessor {

        @Override
        public void process(TProtocol in, TProtocol out) throws TException {
            TMessage message = in.readMessageBegin();
            TBase<?, ?> answer = switch (message.name) {
                case "get" -> {
                    read(new KVStoreService.get_args(), in);
                    yield new KVStoreService.get_result().setSuccess(FOUND);
                }
                case "put" -> {
                    read(new KVStoreService.put_args(), in);
                    yield new KVStoreService.put_result();
                }
                case "add" -> {
                    read(new KVStoreService.add_args(), in);
                    yield new KVStoreService.add_result().setSuccess(1);
                }
                case "multiGet" -> {
                    KVStoreService.multiGet_args call = new KVStoreService.multiGet_args();
                    read(call, in);
                    yield new KVStoreService.multiGet_result().setSuccess(found(call.getKeysSize()));
                }
                case "write" -> {
                    read(new KVStoreService.write_args(), in);
                    yield new KVStoreService.write_result().setSuccess(1);
                }
                case "scan" -> {
                    read(new KVStoreService.scan_args(), in);
                    yield new KVStoreService.scan_result().setSuccess(PAGE);
                }
                default -> throw new TException("no such call here: " + message.name);
            };
            out.writeMessageBegin(new TMessage(message.name, TMessageType.REPLY, message.seqid));
            answer.write(out);
            out.writeMessageEnd();
            out.getTransport().flush();
        }

        private static void read(TBase<?, ?> call, TProtocol in) throws TException {
            call.read(in);
            in.readMessageEnd();
        }

        private static List<GetResult> found(int count) {
            List<GetResult> results = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                results.add(FOUND);
            }
            return results;
        }
    }
}
