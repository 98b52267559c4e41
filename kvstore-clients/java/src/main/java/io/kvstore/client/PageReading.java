package io.kvstore.client;

import io.kvstore.thrift.Entry;
import io.kvstore.thrift.ScanPage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TList;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TProtocolException;
import org.apache.thrift.protocol.TProtocolUtil;
import org.apache.thrift.protocol.TType;

/**
 * Reads one page of a scan. The fields around the entries, and fields that this version does not know, are read by the
 * protocol, which is the binary one. The entries are read from the frame, which is in memory as a whole.
 */
final class PageReading {

    private static final short ENTRIES = ScanPage._Fields.ENTRIES.getThriftFieldId();
    private static final short CONTINUATION = ScanPage._Fields.CONTINUATION.getThriftFieldId();
    private static final short KEY = Entry._Fields.KEY.getThriftFieldId();
    private static final short VALUE = Entry._Fields.VALUE.getThriftFieldId();
    private static final short VALUE_BYTES = Entry._Fields.VALUE_BYTES.getThriftFieldId();

    private final TProtocol in;
    private final LimitedFrames frames;
    private byte[] frame = new byte[0];
    private int at;
    private int end;

    /** @param frames the transport of the protocol */
    PageReading(TProtocol in, LimitedFrames frames) {
        this.in = in;
        this.frames = frames;
    }

    /** Reads the page. */
    EntryPage page() throws TException {
        List<ClientEntry> entries = null;
        byte[] continuation = null;
        in.readStructBegin();
        for (TField field = in.readFieldBegin(); field.type != TType.STOP; field = in.readFieldBegin()) {
            if (field.id == ENTRIES && field.type == TType.LIST) {
                entries = entries();
            } else if (field.id == CONTINUATION && field.type == TType.STRING) {
                enterFrame();
                continuation = bytes();
                leaveFrame();
            } else {
                TProtocolUtil.skip(in, field.type);
            }
            in.readFieldEnd();
        }
        in.readStructEnd();
        if (entries == null) {
            throw bad("a page has no entries");
        }
        return new EntryPage(entries, continuation);
    }

    private List<ClientEntry> entries() throws TException {
        TList list = in.readListBegin();
        if (list.elemType != TType.STRUCT && list.size > 0) {
            throw bad("the entries of a page are of type " + list.elemType);
        }
        enterFrame();
        need(list.size); // an entry has a byte at least
        List<ClientEntry> entries = new ArrayList<>(list.size);
        for (int i = 0; i < list.size; i++) {
            entries.add(entry());
        }
        leaveFrame();
        in.readListEnd();
        return entries;
    }

    private ClientEntry entry() throws TException {
        byte[] key = null;
        byte[] value = null;
        long valueBytes = -1;
        for (byte type = one(); type != TType.STOP; type = one()) {
            int id = one() << 8 | (one() & 0xFF);
            if (id == KEY && type == TType.STRING) {
                key = bytes();
            } else if (id == VALUE && type == TType.STRING) {
                value = bytes();
            } else if (id == VALUE_BYTES && type == TType.I64) {
                valueBytes = (long) four() << 32 | (four() & 0xFFFF_FFFFL);
            } else {
                leaveFrame();
                TProtocolUtil.skip(in, type);
                enterFrame();
            }
        }
        if (key == null) {
            throw bad("an entry has no key");
        }
        return new ClientEntry(key, value, valueBytes);
    }

    /** Begins to read from the frame, where the protocol is. */
    private void enterFrame() {
        frame = frames.getBuffer();
        at = frames.getBufferPosition();
        end = at + frames.getBytesRemainingInBuffer();
    }

    /** Lets the protocol go on where this is. */
    private void leaveFrame() {
        frames.consumeBuffer(at - frames.getBufferPosition());
    }

    private byte one() throws TProtocolException {
        need(1);
        return frame[at++];
    }

    private int four() throws TProtocolException {
        need(Integer.BYTES);
        int from = at;
        at += Integer.BYTES;
        return frame[from] << 24
                | (frame[from + 1] & 0xFF) << 16
                | (frame[from + 2] & 0xFF) << 8
                | (frame[from + 3] & 0xFF);
    }

    private byte[] bytes() throws TProtocolException {
        int length = four();
        need(length);
        int from = at;
        at += length;
        return Arrays.copyOfRange(frame, from, at);
    }

    private void need(int bytes) throws TProtocolException {
        if (bytes < 0 || bytes > end - at) {
            throw bad("a page has " + bytes + " more bytes, and its frame " + (end - at));
        }
    }

    private static TProtocolException bad(String message) {
        return new TProtocolException(TProtocolException.INVALID_DATA, message);
    }
}
