package io.kvstore.testkit;

import io.kvstore.data.KeyOrder;
import io.kvstore.data.TableParameter;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.engine.TableEngineProvider;
import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Makes {@link ModelEngine} tables whose order has nothing to do with that of keys: by a hash, then by the key. */
public final class UnorderedModelEngineProvider implements TableEngineProvider {

    /** The name of the engine. */
    public static final String NAME = "UNORDERED_MODEL";

    /** Few hashes, so that keys share them. */
    private static final int HASHES = 64;

    private static final Comparator<byte[]> ORDER =
            Comparator.<byte[]>comparingInt(UnorderedModelEngineProvider::hash).thenComparing(KeyOrder.COMPARATOR);

    private static int hash(byte[] key) {
        return Math.floorMod((Arrays.hashCode(key) * 0x9E37_79B1) >>> 7, HASHES);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean isOrdered() {
        return false;
    }

    @Override
    public List<TableParameter> parameters() {
        return new ModelEngineProvider().parameters();
    }

    @Override
    public TableEngine open(TableContext context) throws IOException {
        return new ModelEngine(context, ORDER);
    }
}
