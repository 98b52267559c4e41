package io.kvstore.server.thrift;

import io.kvstore.thrift.Entry;
import java.nio.ByteBuffer;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TStruct;
import org.apache.thrift.protocol.TType;
import org.apache.thrift.transport.TTransportException;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a page in their form on the wire, encoded while they are read. The bytes are those that the generated code
 * would write, but there is no object for each entry. Used by one thread at a time.
 */
final class PageBody {

    private static final TStruct ENTRY = new TStruct("Entry");
    private static final TField KEY = new TField("key", TType.STRING, Entry._Fields.KEY.getThriftFieldId());
    private static final TField VALUE = new TField("value", TType.STRING, Entry._Fields.VALUE.getThriftFieldId());
    private static final TField VALUE_BYTES =
            new TField("value_bytes", TType.I64, Entry._Fields.VALUE_BYTES.getThriftFieldId());

    private final FrameOutput output;
    private final TProtocol out;
    private int entries;

    /** The size of the last page. The next one is likely to be as large. */
    private int expectedBytes;

    /**
     * Creates a page without entries.
     *
     * @param output an output that is apart
     * @param firstByte the first byte of the client's first frame, which tells the protocol
     * @param expectedBytes the size that the page is likely to reach
     */
    PageBody(FrameOutput output, int firstByte, int expectedBytes) throws TTransportException {
        this.output = output;
        this.out = LimitedProtocol.writing(output, firstByte);
        this.expectedBytes = expectedBytes;
    }

    /** Begins a page. Drops the entries of the last one. */
    void begin() {
        output.drop();
        out.reset();
        entries = 0;
        output.expect(expectedBytes);
    }

    /**
     * Adds an entry.
     *
     * @param value null if only keys were asked for
     * @param fits whether the page gets the value; else it gets only the value's size
     */
    void add(byte[] key, @Nullable ByteBuffer value, boolean fits) {
        try {
            out.writeStructBegin(ENTRY);
            out.writeFieldBegin(KEY);
            out.writeBinary(ByteBuffer.wrap(key));
            out.writeFieldEnd();
            if (value != null) {
                addValue(value, fits);
            }
            out.writeFieldStop();
            out.writeStructEnd();
        } catch (TException e) {
            throw new IllegalStateException("writing to memory failed", e);
        }
        entries++;
    }

    private void addValue(ByteBuffer value, boolean fits) throws TException {
        if (fits) {
            out.writeFieldBegin(VALUE);
            out.writeBinary(value);
        } else {
            out.writeFieldBegin(VALUE_BYTES);
            out.writeI64(value.remaining());
        }
        out.writeFieldEnd();
    }

    int entries() {
        return entries;
    }

    /** The number of bytes that the entries take. */
    int bytes() {
        return output.size();
    }

    /** Moves the entries to an answer, which goes on behind them. This page is empty afterwards. */
    void moveTo(FrameOutput answer) {
        expectedBytes = output.size();
        answer.append(output);
        entries = 0;
    }

    /** Gives memory back. */
    void close() {
        output.close();
    }
}
