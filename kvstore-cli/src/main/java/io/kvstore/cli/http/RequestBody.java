package io.kvstore.cli.http;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.hc.core5.http.io.entity.AbstractHttpEntity;

/** Bytes that are sent in parts, so that an answer which comes before all were sent is seen between two of them. */
final class RequestBody extends AbstractHttpEntity {

    private static final int PART_BYTES = 64 << 10;

    private final byte[] bytes;

    RequestBody(byte[] bytes) {
        super((String) null, null);
        this.bytes = bytes;
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        for (int offset = 0; offset < bytes.length; offset += PART_BYTES) {
            out.write(bytes, offset, Math.min(PART_BYTES, bytes.length - offset));
        }
    }

    @Override
    public InputStream getContent() {
        return new ByteArrayInputStream(bytes);
    }

    @Override
    public long getContentLength() {
        return bytes.length;
    }

    @Override
    public boolean isStreaming() {
        return false;
    }

    @Override
    public boolean isRepeatable() {
        return true;
    }

    @Override
    public void close() {
        // bytes in memory hold nothing
    }
}
