package io.kvstore.bench.edge;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;

/** Commands of Redis, several at once, and how long their answers are. */
public final class RedisCalls {

    private final LongUnaryOperator numbers;
    private final byte[] value;

    /** @param numbers which entry each key of a run is of */
    public RedisCalls(LongUnaryOperator numbers, byte[] value) {
        this.numbers = numbers;
        this.value = value.clone();
    }

    /** Reads so many keys. */
    public Template get(int keys) {
        return commands(keys, "*2\r\n$3\r\nGET\r\n", new byte[0]);
    }

    /** The bytes of its answer. */
    public long getAnswerBytes(int keys) {
        return (long) keys * (("$" + value.length + "\r\n").length() + value.length + 2);
    }

    /** Writes so many keys. */
    public Template set(int keys) {
        return commands(keys, "*3\r\n$3\r\nSET\r\n", value);
    }

    /** The bytes of its answer. */
    public static long setAnswerBytes(int keys) {
        return (long) keys * "+OK\r\n".length();
    }

    private Template commands(int keys, String head, byte[] argument) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        List<Integer> offsets = new ArrayList<>();
        for (int i = 0; i < keys; i++) {
            text(out, head + "$" + Template.KEY_BYTES + "\r\n");
            offsets.add(out.size());
            out.writeBytes(Template.key(i));
            text(out, "\r\n");
            if (argument.length > 0) {
                text(out, "$" + argument.length + "\r\n");
                out.writeBytes(argument);
                text(out, "\r\n");
            }
        }
        return new Template(out.toByteArray(), List.copyOf(offsets), numbers);
    }

    private static void text(ByteArrayOutputStream out, String text) {
        out.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }
}
