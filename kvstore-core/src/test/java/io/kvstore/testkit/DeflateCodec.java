package io.kvstore.testkit;

import io.kvstore.bytes.Slice;
import io.kvstore.engine.BlockCodec;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** The codec of the JDK, for tests of what compresses. */
public final class DeflateCodec implements BlockCodec {

    /** Found by the service loader. */
    public DeflateCodec() {}

    @Override
    public String name() {
        return "DEFLATE";
    }

    @Override
    public int id() {
        return 255;
    }

    @Override
    public int maxCompressedBytes(int bytes) {
        return bytes + bytes / 1000 + 64;
    }

    @Override
    public int compress(Slice source, byte[] target) {
        Deflater deflater = new Deflater(Deflater.BEST_SPEED);
        try {
            deflater.setInput(source.array(), source.offset(), source.length());
            deflater.finish();
            return deflater.deflate(target);
        } finally {
            deflater.end();
        }
    }

    @Override
    public boolean decompress(Slice source, Slice target) {
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(source.array(), source.offset(), source.length());
            int length = inflater.inflate(target.array(), target.offset(), target.length());
            byte[] more = new byte[1];
            return length == target.length() && inflater.inflate(more) == 0 && inflater.finished();
        } catch (DataFormatException e) {
            return false;
        } finally {
            inflater.end();
        }
    }
}
