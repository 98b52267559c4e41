package io.kvstore.server.thrift;

import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
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
 * full of small items would take many times its length. A longer list is refused before its first item is read. The library
 * lets the exception through, so the client is told.
 */
final class LimitedProtocol {

    private static final int BINARY = 0x80;
    private static final int COMPACT = 0x82;

    private LimitedProtocol() {}

    /**
     * Creates the protocol that reads a client's calls.
     *
     * @param firstByte the first byte of the client's first frame, which tells the protocol
     */
    static TProtocol reading(TTransport transport, int firstByte, int maxFrameBytes) throws TTransportException {
        return switch (firstByte) {
            case BINARY -> new Binary(transport, maxFrameBytes);
            case COMPACT -> new Compact(transport, maxFrameBytes);
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

    private static void check(int items) {
        if (items > Limits.ITEMS) {
            throw new ProblemException(Problem.beyond(
                    ProblemCode.TOO_LARGE,
                    "a list of the call has " + items + " items; at most " + Limits.ITEMS + " are taken at a time",
                    Limits.ITEMS,
                    items));
        }
    }

    private static final class Binary extends TBinaryProtocol {

        Binary(TTransport transport, int maxFrameBytes) {
            super(transport, maxFrameBytes, maxFrameBytes, true, true);
        }

        @Override
        public TList readListBegin() throws TException {
            TList list = super.readListBegin();
            check(list.size);
            return list;
        }

        @Override
        public TSet readSetBegin() throws TException {
            TSet set = super.readSetBegin();
            check(set.size);
            return set;
        }

        @Override
        public TMap readMapBegin() throws TException {
            TMap map = super.readMapBegin();
            check(map.size);
            return map;
        }
    }

    private static final class Compact extends TCompactProtocol {

        Compact(TTransport transport, int maxFrameBytes) {
            super(transport, maxFrameBytes, maxFrameBytes);
        }

        @Override
        public TList readListBegin() throws TException {
            TList list = super.readListBegin();
            check(list.size);
            return list;
        }

        @Override
        public TSet readSetBegin() throws TException {
            TSet set = super.readSetBegin();
            check(set.size);
            return set;
        }

        @Override
        public TMap readMapBegin() throws TException {
            TMap map = super.readMapBegin();
            check(map.size);
            return map;
        }
    }
}
