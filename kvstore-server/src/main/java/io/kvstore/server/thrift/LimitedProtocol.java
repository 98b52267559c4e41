package io.kvstore.server.thrift;

import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import java.util.function.IntConsumer;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TCompactProtocol;
import org.apache.thrift.protocol.TList;
import org.apache.thrift.protocol.TMap;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TSet;
import org.apache.thrift.transport.TTransport;
import org.apache.thrift.transport.TTransportException;

/**
 * The protocols of the edge. On the reading side a list, set or map may have {@link Limits#ITEMS} items. The objects of a frame
 * full of small items take many times its length, so their memory is taken before the first one is read. A list that is refused
 * is not read. The library lets the exception through, so the client is told.
 */
final class LimitedProtocol {

    private static final int BINARY = 0x80;
    private static final int COMPACT = 0x82;

    private LimitedProtocol() {}

    /**
     * Creates the protocol that reads a client's calls.
     *
     * @param firstByte the first byte of the client's first frame, which tells the protocol
     * @param memory takes the memory of the given number of items, or refuses the call
     */
    static TProtocol reading(TTransport transport, int firstByte, int maxFrameBytes, IntConsumer memory)
            throws TTransportException {
        return switch (firstByte) {
            case BINARY -> new Binary(transport, maxFrameBytes, memory);
            case COMPACT -> new Compact(transport, maxFrameBytes, memory);
            default -> throw neither();
        };
    }

    /** Creates the protocol that writes answers in the client's protocol. */
    static TProtocol writing(TTransport transport, int firstByte) throws TTransportException {
        return switch (firstByte) {
            case BINARY -> new TBinaryProtocol(transport, true, true);
            case COMPACT -> new TCompactProtocol(transport);
            default -> throw neither();
        };
    }

    private static TTransportException neither() {
        return new TTransportException(TTransportException.CORRUPTED_DATA, "neither strict binary nor compact");
    }

    private static void check(int items, IntConsumer memory) {
        if (items > Limits.ITEMS) {
            throw new ProblemException(Problem.beyond(
                    ProblemCode.TOO_LARGE,
                    "a list of the call has " + items + " items; at most " + Limits.ITEMS + " are taken at a time",
                    Limits.ITEMS,
                    items));
        }
        memory.accept(items);
    }

    private static final class Binary extends TBinaryProtocol {

        private final IntConsumer memory;

        Binary(TTransport transport, int maxFrameBytes, IntConsumer memory) {
            super(transport, maxFrameBytes, maxFrameBytes, true, true);
            this.memory = memory;
        }

        @Override
        public TList readListBegin() throws TException {
            TList list = super.readListBegin();
            check(list.size, memory);
            return list;
        }

        @Override
        public TSet readSetBegin() throws TException {
            TSet set = super.readSetBegin();
            check(set.size, memory);
            return set;
        }

        @Override
        public TMap readMapBegin() throws TException {
            TMap map = super.readMapBegin();
            check(map.size, memory);
            return map;
        }
    }

    private static final class Compact extends TCompactProtocol {

        private final IntConsumer memory;

        Compact(TTransport transport, int maxFrameBytes, IntConsumer memory) {
            super(transport, maxFrameBytes, maxFrameBytes);
            this.memory = memory;
        }

        @Override
        public TList readListBegin() throws TException {
            TList list = super.readListBegin();
            check(list.size, memory);
            return list;
        }

        @Override
        public TSet readSetBegin() throws TException {
            TSet set = super.readSetBegin();
            check(set.size, memory);
            return set;
        }

        @Override
        public TMap readMapBegin() throws TException {
            TMap map = super.readMapBegin();
            check(map.size, memory);
            return map;
        }
    }
}
