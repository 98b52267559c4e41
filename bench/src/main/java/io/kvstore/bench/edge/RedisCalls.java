package io.kvstore.bench.edge;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;

/** Commands of Redis, several in one request, and the lengths of their answers. */
public final class RedisCalls {

    private final LongUnaryOperator numbers;
    private final byte[] value;

    /** @param numbers maps the place of a key in a run to the number of its entry */
    public RedisCalls(LongUnaryOperator numbers, byte[] value) {
        this.numbers = numbers;
        this.value = value.clone();
    }

    /** A request that reads the given number of keys. */
    public Template get(int keys) {
        return commands(keys, "*2\r\n$3\r\nGET\r\n", new byte[0]);
    }

    /** The length of the answer to {@link #get}. */
    public long getAnswerBytes(int keys) {
        return (long) keys * (("$" + value.length + "\r\n").length() + value.length + 2);
    }

    /** A request that adds one to the number of one key. */
    public Template incr() {
        return commands(1, "*2\r\n$4\r\nINCR\r\n", new byte[0]);
    }

    /** The length of the answer to {@link #incr}, when the sum has this many digits. */
    public static long incrAnswerBytes(int digits) {
        return ":\r\n".length() + (long) digits;
    }

    /** A request that writes the given number of keys. */
    public Template set(int keys) {
        return commands(keys, "*3\r\n$3\r\nSET\r\n", value);
    }

    /** The length of the answer to {@link #set}. */
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
