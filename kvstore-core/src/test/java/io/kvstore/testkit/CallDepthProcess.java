package io.kvstore.testkit;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The process that {@link CallDepthTrace} looks into. It opens a store with all defaults and puts values until the classes of a
 * put are loaded. Then it puts the values that count, each within {@link #traced}, and calls {@link #over}.
 */
final class CallDepthProcess {

    private static final int PUTS_BEFORE = 50;

    private CallDepthProcess() {}

    /** Arguments: the directory, the engine, and the lengths of the values. */
    public static void main(String[] arguments) {
        List<byte[]> values = new ArrayList<>();
        for (String length : List.of(arguments).subList(2, arguments.length)) {
            values.add(new byte[Integer.parseInt(length)]);
        }
        try (KVStore store = new KVStore(Path.of(arguments[0]), KVStoreOptions.defaults())) {
            store.createDB("d");
            Table table = store.createTable("d", "t", arguments[1]);
            for (int i = 0; i < PUTS_BEFORE; i++) {
                for (byte[] value : values) {
                    table.put(key("before " + i, value), value.clone());
                }
            }
            values.forEach(value -> traced(table, key("traced", value), value));
            over();
        }
    }

    private static byte[] key(String text, byte[] value) {
        return (text + ' ' + value.length).getBytes(StandardCharsets.UTF_8);
    }

    static void traced(Table table, byte[] key, byte[] value) {
        table.put(key, value);
    }

    static void over() {
        // the trace stops here
    }
}
