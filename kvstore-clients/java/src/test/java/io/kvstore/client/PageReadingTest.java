package io.kvstore.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.thrift.Entry;
import io.kvstore.thrift.KVStoreService;
import io.kvstore.thrift.ScanPage;
import io.kvstore.thrift.ServiceError;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TList;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TStruct;
import org.apache.thrift.protocol.TType;
import org.apache.thrift.transport.TMemoryBuffer;
import org.junit.jupiter.api.Test;

/** Pages of scans, held against those that the generated code writes. */
final class PageReadingTest {

    private static final int MAX_BYTES = 1 << 20;

    /** Writes the parts of an answer. */
    private interface Writing {
        void on(TProtocol out) throws TException;
    }

    private static byte[] written(Writing writing) throws TException {
        TMemoryBuffer buffer = new TMemoryBuffer(64);
        writing.on(new TBinaryProtocol(buffer));
        return Arrays.copyOf(buffer.getArray(), buffer.length());
    }

    private static ScanAnswer read(byte[] answer) throws TException {
        TMemoryBuffer buffer = new TMemoryBuffer(64);
        LimitedFrames sent = new LimitedFrames(buffer, MAX_BYTES);
        sent.write(answer, 0, answer.length);
        sent.flush();
        LimitedFrames frames = new LimitedFrames(buffer, MAX_BYTES);
        ScanAnswer read = new ScanAnswer(frames);
        read.read(new TBinaryProtocol(frames, MAX_BYTES, 1_000, true, true));
        assertEquals(0, frames.getBytesRemainingInBuffer());
        return read;
    }

    private static EntryPage page(byte[] answer) throws TException {
        return Answers.page(Objects.requireNonNull(read(answer).getSuccess()));
    }

    private static Entry entry(int key, byte[] value) {
        return new Entry(ByteBuffer.wrap(new byte[] {(byte) key})).setValue(value);
    }

    private static byte[] usual() throws TException {
        ScanPage page = new ScanPage(List.of(
                entry(1, new byte[0]),
                entry(-1, new byte[300]),
                new Entry(ByteBuffer.allocate(0)).setValueBytes(0x1_8000_0001L),
                new Entry(ByteBuffer.wrap(new byte[] {7, 8}))));
        page.setContinuation(new byte[] {9, 10});
        return written(new KVStoreService.scan_result(page, null)::write);
    }

    @Test
    void a_page_is_what_the_generated_code_wrote() throws TException {
        EntryPage page = page(usual());
        assertEquals(
                List.of(
                        new ClientEntry(new byte[] {1}, new byte[0], -1),
                        new ClientEntry(new byte[] {-1}, new byte[300], -1),
                        new ClientEntry(new byte[0], null, 0x1_8000_0001L),
                        new ClientEntry(new byte[] {7, 8}, null, -1)),
                page.entries());
        assertArrayEquals(new byte[] {9, 10}, page.continuation());
        EntryPage empty = page(written(new KVStoreService.scan_result(new ScanPage(List.of()), null)::write));
        assertEquals(List.of(), empty.entries());
        assertNull(empty.continuation());
    }

    @Test
    void fields_of_later_versions_are_passed_over() throws TException {
        EntryPage page = page(written(out -> {
            out.writeFieldBegin(new TField("later", TType.I32, (short) 9));
            out.writeI32(1);
            out.writeFieldBegin(new TField("success", TType.STRUCT, (short) 0));
            out.writeFieldBegin(new TField("later", TType.STRING, (short) 7));
            out.writeString("text");
            out.writeFieldBegin(new TField("entries", TType.LIST, (short) 1));
            out.writeListBegin(new TList(TType.STRUCT, 2));
            for (byte i = 0; i < 2; i++) {
                out.writeFieldBegin(new TField("later", TType.LIST, (short) 40));
                out.writeListBegin(new TList(TType.I64, 2));
                out.writeI64(1);
                out.writeI64(2);
                out.writeFieldBegin(new TField("key", TType.STRING, (short) 1));
                out.writeBinary(ByteBuffer.wrap(new byte[] {i}));
                out.writeFieldBegin(new TField("value", TType.BOOL, (short) 2));
                out.writeBool(true);
                out.writeFieldBegin(new TField("later", TType.STRUCT, (short) -1));
                out.writeStructBegin(new TStruct("later"));
                out.writeFieldStop();
                out.writeFieldStop();
            }
            out.writeFieldStop();
            out.writeFieldStop();
        }));
        assertEquals(
                List.of(new ClientEntry(new byte[] {0}, null, -1), new ClientEntry(new byte[] {1}, null, -1)),
                page.entries());
    }

    @Test
    void an_error_is_read() throws TException {
        ScanAnswer answer = read(written(out -> {
            out.writeFieldBegin(new TField("error", TType.STRUCT, (short) 1));
            out.writeFieldBegin(new TField("message", TType.STRING, ServiceError._Fields.MESSAGE.getThriftFieldId()));
            out.writeString("no");
            out.writeFieldStop();
            out.writeFieldStop();
        }));
        assertNull(answer.getSuccess());
        assertEquals("no", Objects.requireNonNull(answer.getError()).getMessage());
    }

    @Test
    void what_is_cut_off_or_damaged_fails_as_such() throws TException {
        byte[] whole = usual();
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThrows(TException.class, () -> read(cut), "of " + length + " bytes");
        }
        for (int at = 0; at < whole.length; at++) {
            for (int bit : new int[] {1, 0x80}) {
                byte[] damaged = whole.clone();
                damaged[at] ^= (byte) bit;
                readOrFail(damaged);
            }
        }
        assertThrows(
                TException.class, () -> page(written(new KVStoreService.scan_result(new ScanPage(), null)::write)));
    }

    /** A damaged page is another page, or fails as a call does; it ends in any case. */
    private static void readOrFail(byte[] damaged) {
        try {
            TMemoryBuffer buffer = new TMemoryBuffer(64);
            LimitedFrames sent = new LimitedFrames(buffer, MAX_BYTES);
            sent.write(damaged, 0, damaged.length);
            sent.flush();
            LimitedFrames frames = new LimitedFrames(buffer, MAX_BYTES);
            new ScanAnswer(frames).read(new TBinaryProtocol(frames, MAX_BYTES, 1_000, true, true));
        } catch (TException e) {
            assertTrue(e.getMessage() != null || e.getCause() != null, e.toString());
        }
    }
}
