package io.kvstore.server.edge;

import io.kvstore.Cursor;
import io.kvstore.Table;
import io.kvstore.data.KeyRange;
import io.kvstore.error.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Makes and checks continuations. A continuation says where a page of a scan ended, as bytes that the next request gives back.
 * The server keeps nothing else, so a continuation is valid after a restart and at every edge. The rest of the scan sees
 * entries that were written meanwhile.
 *
 * <pre>
 *   version u8 = 2 | table id u32 | hash of the table's names u32 | code, 16 bytes | last key
 * </pre>
 *
 * The code is the front half of an HMAC-SHA256 over all the rest, and the bounds and the direction of the scan. Its random key
 * is kept in the data directory, if there is one. So a client cannot make up a continuation, or use one for another scan. A
 * table id is never reused. The same id under another name is that of a table that was renamed, and the scan goes on. Another
 * id under the same name tells that the table was dropped or truncated. Big-endian. Safe for use by several threads.
 */
public final class Continuations {

    private static final String ALGORITHM = "HmacSHA256";
    private static final int KEY_BYTES = 32;
    private static final byte VERSION = 2;
    private static final int NAMES_AT = 5;
    private static final int CODE_AT = 9;
    private static final int CODE_BYTES = 16;
    private static final int KEY_AT = CODE_AT + CODE_BYTES;

    private final SecretKeySpec secret;

    private Continuations(byte[] secret) {
        this.secret = new SecretKeySpec(secret, ALGORITHM);
    }

    /**
     * Uses the key that a file keeps. If there is no file, makes a new key and the file.
     *
     * @throws ProblemException if the file does not hold such a key
     */
    public static Continuations keptIn(Path file) {
        try {
            byte[] secret = PrivateFile.readOrCreate(file, Continuations::newSecret);
            if (secret.length != KEY_BYTES) {
                throw ProblemException.invalid(file + " has " + secret.length + " bytes instead of " + KEY_BYTES
                        + ": remove it, and scans that are under way end with an error");
            }
            return new Continuations(secret);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the key of continuations cannot be read or kept at " + file + ": " + Reasons.of(e), e);
        }
    }

    /** Uses a new key that ends with the process. */
    static Continuations untilTheEnd() {
        return new Continuations(newSecret());
    }

    private static byte[] newSecret() {
        byte[] secret = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(secret);
        return secret;
    }

    /**
     * The continuation of a scan whose page ended with a key.
     *
     * @param tableId the table's id when the page was begun
     */
    public byte[] after(Table table, int tableId, KeyRange range, byte[] lastKey) {
        int names = hashOfNames(table);
        return ByteBuffer.allocate(KEY_AT + lastKey.length)
                .put(VERSION)
                .putInt(tableId)
                .putInt(names)
                .put(code(names, tableId, range, lastKey))
                .put(lastKey)
                .array();
    }

    /**
     * The part of a scan's range that is behind a continuation.
     *
     * @throws ProblemException if the continuation is not of this scan, or the table was truncated or dropped since
     */
    public KeyRange rest(byte[] continuation, Table table, KeyRange range) {
        if (continuation.length < KEY_AT || continuation[0] != VERSION) {
            throw invalid();
        }
        int tableId = ByteBuffer.wrap(continuation).getInt(1);
        int names = ByteBuffer.wrap(continuation).getInt(NAMES_AT);
        byte[] lastKey = Arrays.copyOfRange(continuation, KEY_AT, continuation.length);
        byte[] code = Arrays.copyOfRange(continuation, CODE_AT, KEY_AT);
        if (!MessageDigest.isEqual(code, code(names, tableId, range, lastKey)) || !range.contains(lastKey)) {
            throw invalid();
        }
        if (tableId != table.id()) {
            if (names != hashOfNames(table)) {
                throw invalid();
            }
            throw dropped(table);
        }
        return range.after(lastKey);
    }

    /**
     * Returns a cursor that was opened for the rest of a scan. Between {@link #rest} and the opening the table may have been
     * truncated. Then the cursor is closed: it would go on among entries that the table did not have when the scan began.
     *
     * @param tableId the table's id before {@link #rest} was called
     * @throws ProblemException if the table was truncated since
     */
    public static Cursor requireSame(Cursor cursor, Table table, int tableId) {
        if (tableId != table.id()) {
            cursor.close();
            throw dropped(table);
        }
        return cursor;
    }

    private static ProblemException dropped(Table table) {
        return new ProblemException(new Problem(
                ProblemCode.TABLE_DROPPED,
                "the table \"" + table.name()
                        + "\" was truncated, or dropped and created again, since the scan began: begin it anew",
                Outcome.FAILED,
                Map.of()));
    }

    private static ProblemException invalid() {
        return new ProblemException(Problem.of(
                ProblemCode.CONTINUATION_INVALID,
                "the continuation is not one that this server gave for this scan; repeat the table, range and direction of"
                        + " the page that gave it"));
    }

    private static int hashOfNames(Table table) {
        return (table.database() + "/" + table.name()).hashCode();
    }

    private byte[] code(int names, int tableId, KeyRange range, byte[] lastKey) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(secret);
            mac.update(VERSION);
            mac.update(ByteBuffer.allocate(2 * Integer.BYTES)
                    .putInt(tableId)
                    .putInt(names)
                    .array());
            mac.update((byte) (range.reversed() ? 1 : 0));
            bound(mac, range.lower(), range.lowerInclusive());
            bound(mac, range.upper(), range.upperInclusive());
            return Arrays.copyOf(mac.doFinal(lastKey), CODE_BYTES);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no " + ALGORITHM, e);
        }
    }

    /** Adds a part and its length, so that no two scans give the same bytes. */
    private static void bound(Mac mac, byte @Nullable [] bound, boolean inclusive) {
        int length = bound == null ? -1 : bound.length;
        mac.update(ByteBuffer.allocate(Integer.BYTES + 1)
                .putInt(length)
                .put((byte) (inclusive ? 1 : 0))
                .array());
        if (bound != null) {
            mac.update(bound);
        }
    }
}
