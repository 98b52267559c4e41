package io.kvstore.backup;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The SHA-256 of a part, which stands for its bytes: parts with one hash are stored once. Users choose the bytes of values, so
 * nothing weaker would do.
 */
record PartHash(long first, long second, long third, long fourth) {

    static final int BYTES = 32;

    /** The hash of the remaining bytes of a buffer, whose position stays. */
    static PartHash of(ByteBuffer bytes) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(bytes.duplicate());
            return read(new ByteReader("", digest.digest()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    static PartHash read(ByteReader in) {
        return new PartHash(in.u64(), in.u64(), in.u64(), in.u64());
    }

    void write(ByteWriter out) {
        out.u64(first).u64(second).u64(third).u64(fourth);
    }
}
