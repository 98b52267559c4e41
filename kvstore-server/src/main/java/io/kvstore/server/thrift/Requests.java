package io.kvstore.server.thrift;

import io.kvstore.data.Condition;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.thrift.WriteOptions;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Turns requests into arguments of the store. Arguments and fields can be missing, even if the generated code says that they
 * are required.
 */
final class Requests {

    private Requests() {}

    /** Returns an argument, which must not be missing. */
    static <T> T need(@Nullable T given, String name) {
        if (given == null) {
            throw ProblemException.invalid(name + " is missing");
        }
        return given;
    }

    /** The bytes of a buffer that is a part of a frame. */
    static byte[] bytes(@Nullable ByteBuffer given, String name) {
        ByteBuffer buffer = need(given, name);
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(buffer.position(), bytes);
        return bytes;
    }

    /** The bytes of a key. Refuses a key that exceeds the limit of all keys. */
    static byte[] key(@Nullable ByteBuffer given) {
        ByteBuffer key = need(given, "the key");
        if (key.remaining() > KeyOrder.MAX_KEY_BYTES) {
            throw new ProblemException(Problem.beyond(
                    ProblemCode.TOO_LARGE,
                    "the key has " + key.remaining() + " bytes; a key has at most " + KeyOrder.MAX_KEY_BYTES,
                    KeyOrder.MAX_KEY_BYTES,
                    key.remaining()));
        }
        return bytes(key, "the key");
    }

    private static byte @Nullable [] optionalBytes(@Nullable ByteBuffer given) {
        return given == null ? null : bytes(given, "");
    }

    /** Returns a number. Refuses a number that is out of bounds. */
    static int within(int given, int least, int most, String name) {
        if (given < least || given > most) {
            throw ProblemException.invalid(name + " is " + given + "; give " + least + " to " + most);
        }
        return given;
    }

    /** The durability that is asked for. Null means the table's own. */
    static @Nullable Durability durability(@Nullable WriteOptions options) {
        io.kvstore.thrift.Durability asked = options == null ? null : options.getDurability();
        return asked == null
                ? null
                : switch (asked) {
                    case TABLE_DEFAULT -> null;
                    case SYNC -> Durability.SYNC;
                    case BUFFERED -> Durability.BUFFERED;
                };
    }

    static Condition condition(byte[] key, io.kvstore.thrift.@Nullable Condition given) {
        io.kvstore.thrift.Condition condition = need(given, "the condition");
        return switch (need(condition.getKind(), "the kind of the condition")) {
            case ABSENT -> new Condition.Absent(key);
            case EXISTS -> new Condition.Exists(key);
            case TAG_IS -> {
                if (!condition.isSetTag()) {
                    throw ProblemException.invalid("the condition TAG_IS has no tag");
                }
                yield new Condition.TagIs(key, condition.getTag());
            }
            case VALUE_IS ->
                new Condition.ValueIs(key, bytes(condition.bufferForValue(), "the value of the condition VALUE_IS"));
        };
    }

    static KeyRange range(io.kvstore.thrift.@Nullable KeyRange given) {
        if (given == null) {
            return KeyRange.all();
        }
        byte[] prefix = optionalBytes(given.bufferForPrefix());
        byte[] start = optionalBytes(given.bufferForStartKey());
        byte[] stop = optionalBytes(given.bufferForStopKey());
        if (prefix != null && (start != null || stop != null)) {
            throw ProblemException.invalid("give either prefix or start_key and stop_key, not both");
        }
        if (prefix != null) {
            return KeyRange.prefix(prefix);
        }
        KeyRange range = KeyRange.all();
        range = start == null ? range : range.from(start, !given.isStartExclusive());
        return stop == null ? range : range.to(stop, given.isStopInclusive());
    }
}
