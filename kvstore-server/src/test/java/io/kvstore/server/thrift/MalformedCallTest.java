package io.kvstore.server.thrift;

import static io.kvstore.server.thrift.ThriftTestServer.TABLE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.thrift.Batch;
import io.kvstore.thrift.Condition;
import io.kvstore.thrift.ConditionKind;
import io.kvstore.thrift.KVStoreService;
import io.kvstore.thrift.KeyRange;
import io.kvstore.thrift.Mutation;
import io.kvstore.thrift.OperationKind;
import io.kvstore.thrift.OperationRequest;
import io.kvstore.thrift.ReadOptions;
import io.kvstore.thrift.ScanRequest;
import io.kvstore.thrift.WriteOptions;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TCompactProtocol;
import org.apache.thrift.protocol.TMessage;
import org.apache.thrift.protocol.TMessageType;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TStruct;
import org.apache.thrift.protocol.TType;
import org.apache.thrift.transport.TMemoryBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * 20,000 frames that no client sends: bytes at random, true calls with bytes changed, cut or repeated, and structures as deep
 * as a frame lets them be. Each is answered or ends its connection; the next connection works, and the store is not hurt.
 */
final class MalformedCallTest {

    private static final int CASES = 20_000;
    private static final long SEED = Long.getLong("kv.malformed.seed", 1);

    @TempDir
    private Path directory;

    private final Random random = new Random(SEED);
    private int answered;
    private int ended;

    @Test
    void every_frame_is_answered_or_ends_its_connection() throws Exception {
        List<byte[]> calls = trueCalls();
        long heapBefore = usedHeapBytes();
        try (ThriftTestServer server = new ThriftTestServer(directory)) {
            Socket socket = server.socket();
            for (int i = 0; i < CASES; i++) {
                if (!survives(socket, frame(calls))) {
                    socket.close();
                    socket = server.socket();
                }
            }
            socket.close();
            assertEquals(CASES, answered + ended);
            assertTrue(answered > CASES / 10 && ended > CASES / 10, answered + " answered, " + ended + " ended");
            try (ThriftTestServer.Client client = server.client()) {
                client.ping();
                while (server.server().connections() > 1) {
                    Thread.onSpinWait();
                }
                assertEquals(0, server.server().budgetUsedBytes());
                assertEquals(null, server.store().failure());
                assertEquals(0, server.store().stats().openSnapshots());
            }
        }
        System.getLogger(MalformedCallTest.class.getName())
                .log(
                        System.Logger.Level.INFO,
                        "seed " + SEED + ": " + CASES + " frames, " + answered + " answered, " + ended
                                + " ended their connection, 0 without an end; heap " + (heapBefore >> 10)
                                + " KiB before, "
                                + (usedHeapBytes() >> 10) + " KiB after");
    }

    private static long usedHeapBytes() {
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** Sends a frame and waits for what becomes of it; a read that takes 30 s fails the test. */
    private boolean survives(Socket socket, byte[] frame) throws IOException {
        try {
            socket.getOutputStream().write(frame);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            int length = in.readInt();
            assertTrue(length > 0 && length <= ThriftTestServer.MAX_FRAME_BYTES, "an answer of " + length + " bytes");
            assertEquals(length, in.readNBytes(length).length);
            answered++;
            return true;
        } catch (EOFException | SocketException e) {
            ended++;
            return false;
        }
    }

    private byte[] frame(List<byte[]> calls) throws TException {
        byte[] content = switch (random.nextInt(8)) {
            case 0 -> randomBytes(random.nextInt(100));
            case 1 -> headed(randomBytes(random.nextInt(100)));
            case 2 -> cut(pick(calls));
            case 3 -> deep(random.nextInt(2_000));
            case 4 -> repeated(pick(calls));
            default -> changed(pick(calls));
        };
        int length = random.nextInt(200) == 0 ? oddLength() : content.length;
        byte[] frame = ByteBuffer.allocate(4 + content.length)
                .putInt(length)
                .put(content)
                .array();
        // A length beyond what follows would wait for the rest, which is right: the frame is given no less than it
        // says.
        return length > content.length && length <= Limits.REFUSED_FRAME_BYTES
                ? Arrays.copyOf(frame, 4 + length)
                : frame;
    }

    private int oddLength() {
        return switch (random.nextInt(4)) {
            case 0 -> -random.nextInt(Integer.MAX_VALUE);
            case 1 -> Limits.REFUSED_FRAME_BYTES + 1 + random.nextInt(1_000);
            case 2 -> Integer.MAX_VALUE - random.nextInt(4);
            default -> random.nextInt(100_000);
        };
    }

    private byte[] randomBytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /** The head of a call, and then anything. */
    private byte[] headed(byte[] rest) throws TException {
        TMemoryBuffer buffer = new TMemoryBuffer(64);
        List<String> names = methods().stream().map(Method::getName).toList();
        protocol(buffer).writeMessageBegin(new TMessage(names.get(random.nextInt(names.size())), TMessageType.CALL, 1));
        buffer.write(rest);
        return Arrays.copyOf(buffer.getArray(), buffer.length());
    }

    private TProtocol protocol(TMemoryBuffer buffer) {
        return random.nextBoolean() ? new TBinaryProtocol(buffer) : new TCompactProtocol(buffer);
    }

    private byte[] pick(List<byte[]> calls) {
        return calls.get(random.nextInt(calls.size())).clone();
    }

    private byte[] cut(byte[] call) {
        return Arrays.copyOf(call, random.nextInt(call.length));
    }

    private byte[] repeated(byte[] call) {
        byte[] twice = Arrays.copyOf(call, 2 * call.length);
        System.arraycopy(call, 0, twice, call.length, call.length);
        return twice;
    }

    private byte[] changed(byte[] call) {
        for (int i = random.nextInt(4); i >= 0; i--) {
            int at = random.nextInt(call.length);
            call[at] = switch (random.nextInt(4)) {
                case 0 -> (byte) 0xff;
                case 1 -> 0x7f;
                case 2 -> (byte) (call[at] ^ 1 << random.nextInt(8));
                default -> (byte) random.nextInt();
            };
        }
        return call;
    }

    /** Structures in structures, in a field that the method does not have. */
    private byte[] deep(int depth) throws TException {
        TMemoryBuffer buffer = new TMemoryBuffer(64);
        TProtocol protocol = protocol(buffer);
        protocol.writeMessageBegin(new TMessage("ping", TMessageType.CALL, 1));
        for (int i = 0; i < depth; i++) {
            protocol.writeStructBegin(new TStruct("deep"));
            protocol.writeFieldBegin(new org.apache.thrift.protocol.TField("deep", TType.STRUCT, (short) 1));
        }
        return Arrays.copyOf(buffer.getArray(), buffer.length());
    }

    private static List<Method> methods() {
        return Arrays.stream(KVStoreService.Iface.class.getMethods())
                .sorted((a, b) -> a.getName().compareTo(b.getName()))
                .toList();
    }

    /** One call of each method in each protocol, with arguments that are all there, as the generated client writes them. */
    private static List<byte[]> trueCalls() throws ReflectiveOperationException, TException {
        List<byte[]> calls = new ArrayList<>();
        for (Method method : methods()) {
            Object[] arguments = Arrays.stream(method.getParameterTypes())
                    .map(MalformedCallTest::argument)
                    .toArray();
            for (boolean compact : new boolean[] {false, true}) {
                TMemoryBuffer sent = new TMemoryBuffer(256);
                TMemoryBuffer none = new TMemoryBuffer(1);
                KVStoreService.Client client = compact
                        ? new KVStoreService.Client(new TCompactProtocol(none), new TCompactProtocol(sent))
                        : new KVStoreService.Client(new TBinaryProtocol(none), new TBinaryProtocol(sent));
                try {
                    KVStoreService.Iface.class
                            .getMethod(method.getName(), method.getParameterTypes())
                            .invoke(client, arguments);
                } catch (InvocationTargetException e) {
                    // There is no answer to read; the call was written before.
                    assertTrue(e.getCause() instanceof TException, () -> String.valueOf(e.getCause()));
                }
                calls.add(Arrays.copyOf(sent.getArray(), sent.length()));
            }
        }
        return calls;
    }

    private static Object argument(Class<?> type) {
        ByteBuffer bytes = ByteBuffer.wrap("some bytes".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        Map<Class<?>, Object> known = Map.ofEntries(
                Map.entry(String.class, "d"),
                Map.entry(int.class, 60_000),
                Map.entry(long.class, 5L),
                Map.entry(ByteBuffer.class, bytes),
                Map.entry(List.class, List.of(bytes, bytes)),
                Map.entry(Map.class, Map.of("VALUE_THRESHOLD_BYTES", "10")),
                Map.entry(io.kvstore.thrift.TableName.class, TABLE),
                Map.entry(ReadOptions.class, new ReadOptions().setWithTag(true)),
                Map.entry(WriteOptions.class, new WriteOptions()),
                Map.entry(Condition.class, new Condition(ConditionKind.VALUE_IS).setValue(bytes)),
                Map.entry(Batch.class, new Batch(TABLE, List.of(new Mutation(bytes).setValue(bytes)))),
                Map.entry(KeyRange.class, new KeyRange().setPrefix(bytes)),
                Map.entry(
                        ScanRequest.class,
                        new ScanRequest(TABLE).setMaxEntries(3).setRange(new KeyRange())),
                Map.entry(OperationRequest.class, new OperationRequest(OperationKind.FLUSH).setTable(TABLE)));
        Object value = known.get(type);
        if (value == null) {
            throw new IllegalStateException("no argument of " + type);
        }
        return value;
    }
}
