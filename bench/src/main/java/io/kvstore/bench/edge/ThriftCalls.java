package io.kvstore.bench.edge;

import io.kvstore.thrift.Batch;
import io.kvstore.thrift.Durability;
import io.kvstore.thrift.GetResult;
import io.kvstore.thrift.KVStoreService;
import io.kvstore.thrift.Mutation;
import io.kvstore.thrift.ReadOptions;
import io.kvstore.thrift.ScanRequest;
import io.kvstore.thrift.TableName;
import io.kvstore.thrift.WriteOptions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TMessage;
import org.apache.thrift.protocol.TMessageType;
import org.apache.thrift.transport.TMemoryBuffer;

/** Calls of the service as frames, encoded by the generated client. */
public final class ThriftCalls {

    /** The table that is measured. */
    public static final TableName TABLE = new TableName("bench", "entries");

    private static final int LENGTH_BYTES = 4;

    private final LongUnaryOperator numbers;
    private final byte[] value;

    /** @param numbers maps the place of a key in a run to the number of its entry */
    public ThriftCalls(LongUnaryOperator numbers, byte[] value) {
        this.numbers = numbers;
        this.value = value.clone();
    }

    @FunctionalInterface
    private interface Sending {
        void send(KVStoreService.Client client) throws TException;
    }

    public Template get() throws TException {
        ByteBuffer key = ByteBuffer.wrap(Template.key(0));
        return encode(1, client -> client.sendGet(TABLE, key, new ReadOptions()));
    }

    public Template put(Durability durability) throws TException {
        ByteBuffer key = ByteBuffer.wrap(Template.key(0));
        return encode(1, client -> client.sendPut(TABLE, key, ByteBuffer.wrap(value), options(durability)));
    }

    /** An addition of one. */
    public Template add(Durability durability) throws TException {
        ByteBuffer key = ByteBuffer.wrap(Template.key(0));
        return encode(1, client -> client.sendAdd(TABLE, key, 1, options(durability)));
    }

    public Template multiGet(int keys) throws TException {
        return encode(keys, client -> client.sendMultiGet(TABLE, markers(keys), new ReadOptions()));
    }

    public Template write(int keys, Durability durability) throws TException {
        List<Mutation> mutations = new ArrayList<>();
        markers(keys).forEach(key -> mutations.add(new Mutation(key).setValue(ByteBuffer.wrap(value))));
        return encode(keys, client -> client.sendWrite(new Batch(TABLE, mutations), options(durability)));
    }

    /** The frame of a scan. */
    public static byte[] scan(ScanRequest request) throws TException {
        return frame(client -> client.sendScan(request));
    }

    private static WriteOptions options(Durability durability) {
        return new WriteOptions().setDurability(durability);
    }

    private static List<ByteBuffer> markers(int keys) {
        List<ByteBuffer> markers = new ArrayList<>();
        for (int i = 0; i < keys; i++) {
            markers.add(ByteBuffer.wrap(Template.key(i)));
        }
        return markers;
    }

    private Template encode(int keys, Sending sending) throws TException {
        byte[] frame = frame(sending);
        List<Integer> offsets = new ArrayList<>();
        for (int i = 0; i < keys; i++) {
            offsets.add(find(frame, Template.key(i)));
        }
        return new Template(frame, List.copyOf(offsets), numbers);
    }

    private static int find(byte[] in, byte[] wanted) {
        for (int at = 0; at <= in.length - wanted.length; at++) {
            if (Arrays.equals(in, at, at + wanted.length, wanted, 0, wanted.length)) {
                return at;
            }
        }
        throw new IllegalStateException("the call does not hold its key");
    }

    private static byte[] frame(Sending sending) throws TException {
        TMemoryBuffer buffer = new TMemoryBuffer(1 << 10);
        sending.send(new KVStoreService.Client(new TBinaryProtocol(buffer)));
        return ByteBuffer.allocate(LENGTH_BYTES + buffer.length())
                .putInt(buffer.length())
                .put(buffer.getArray(), 0, buffer.length())
                .array();
    }

    /**
     * Checks that an answer is not an error and has a value for each key that was asked for.
     *
     * @param answer the bytes behind the length of the frame
     */
    public static void check(byte[] answer, int keys) throws TException {
        TMemoryBuffer buffer = new TMemoryBuffer(answer.length);
        buffer.write(answer);
        TBinaryProtocol protocol = new TBinaryProtocol(buffer);
        TMessage message = protocol.readMessageBegin();
        boolean fine = message.type == TMessageType.REPLY
                && switch (message.name) {
                    case "get" -> {
                        KVStoreService.get_result result = new KVStoreService.get_result();
                        result.read(protocol);
                        yield result.getError() == null && isFound(result.getSuccess());
                    }
                    case "multiGet" -> {
                        KVStoreService.multiGet_result result = new KVStoreService.multiGet_result();
                        result.read(protocol);
                        yield result.getError() == null
                                && result.getSuccess() != null
                                && result.getSuccess().size() == keys
                                && result.getSuccess().stream().allMatch(ThriftCalls::isFound);
                    }
                    case "put" -> {
                        KVStoreService.put_result result = new KVStoreService.put_result();
                        result.read(protocol);
                        yield result.getError() == null;
                    }
                    case "add" -> {
                        KVStoreService.add_result result = new KVStoreService.add_result();
                        result.read(protocol);
                        yield result.getError() == null && result.isSetSuccess();
                    }
                    case "write" -> {
                        KVStoreService.write_result result = new KVStoreService.write_result();
                        result.read(protocol);
                        yield result.getError() == null && result.getFailed() == null;
                    }
                    default -> true;
                };
        if (!fine) {
            throw new TException("the server answered " + message.name + " with an error or without a value");
        }
    }

    private static boolean isFound(@org.jspecify.annotations.Nullable GetResult result) {
        return result != null && result.isSetValue();
    }
}
