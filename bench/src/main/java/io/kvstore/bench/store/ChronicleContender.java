package io.kvstore.bench.store;

import java.io.IOException;
import java.util.List;
import net.openhft.chronicle.map.ChronicleMap;
import org.jspecify.annotations.Nullable;

/** Chronicle Map in a file, made for the number of entries. It has no log and no order of keys. */
final class ChronicleContender implements Contender {

    /** The flags that its JVM is started with. */
    static final List<String> JVM_FLAGS = List.of(
            "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
            "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-exports=jdk.unsupported/sun.misc=ALL-UNNAMED",
            "--add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED",
            "--add-opens=jdk.compiler/com.sun.tools.javac=ALL-UNNAMED",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
            "--add-opens=java.base/java.io=ALL-UNNAMED",
            "--add-opens=java.base/java.util=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            // without it the library reports its use over the network
            "-Dchronicle.analytics.disable=true",
            "-Dchronicle.announcer.disable=true");

    private final ChronicleMap<byte[], byte[]> map;

    ChronicleContender(StoreSetup setup) throws IOException {
        Shape shape = setup.shape();
        map = ChronicleMap.of(byte[].class, byte[].class)
                .name("entries")
                .entries(setup.entries())
                .constantKeySizeBySample(new byte[shape.keyBytes()])
                .constantValueSizeBySample(new byte[shape.valueBytes()])
                .createPersistedTo(
                        setup.directory().resolve("entries.chronicle").toFile());
    }

    @Override
    public Session session() {
        return new Session() {
            @Override
            public void put(byte[] key, byte[] value) {
                map.put(key, value);
            }

            @Override
            public void remove(byte[] key) {
                map.remove(key);
            }

            @Override
            public byte @Nullable [] get(byte[] key) {
                return map.get(key);
            }

            @Override
            public void scan(byte[] from, int limit, Visitor visitor) {
                throw new IllegalStateException("Chronicle Map has no order of keys");
            }

            @Override
            public void close() {
                // All sessions share the map.
            }
        };
    }

    @Override
    public void flush() {
        // Entries are in the pages of the file, and there is no other.
    }

    @Override
    public void close() {
        map.close();
    }
}
