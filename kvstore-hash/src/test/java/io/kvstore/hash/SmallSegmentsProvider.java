package io.kvstore.hash;

import io.kvstore.data.TableParameter;
import io.kvstore.engine.Findings;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.value.ValueStore;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes tables with small segments, so that values move. They may have files that a {@link BadDisk} does not give. */
public sealed class SmallSegmentsProvider implements TableEngineProvider permits CrowdedEngineProvider {

    static final String NAME = "SMALL_HASH";

    private static final int HASH_BITS = 50;

    /** A file of this name in the directory of a damaged table leaves no memory for keys in doubt, but for the first 512. */
    static final String FEW_DOUBTS = "few-doubts";

    private final String name;
    private final HashEngine.Setup setup;

    /**
     * With hashes that tell keys apart, and do not by their last 19 bits alone: of those, which an index keeps beside a place,
     * 5 are used.
     */
    public SmallSegmentsProvider() {
        this(NAME, HASH_BITS);
    }

    SmallSegmentsProvider(String name, int hashBits) {
        this.name = name;
        this.setup = new HashEngine.Setup(hashBits, new ValueStore.Sizes(16 << 10, 64 << 10), Long.MAX_VALUE);
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final boolean isOrdered() {
        return false;
    }

    @Override
    public final List<TableParameter> parameters() {
        return List.of();
    }

    @Override
    public final TableEngine open(TableContext context) throws IOException {
        return HashEngine.open(BadDisk.under(context), setup);
    }

    @Override
    public final @Nullable TableEngine openDamaged(TableContext context, long checkpointLsn, Findings losses)
            throws IOException {
        boolean isFull = context.storage().exists(context.directory() + "/" + FEW_DOUBTS);
        HashEngine.Setup given = isFull ? new HashEngine.Setup(setup.hashBits(), setup.segments(), 0) : setup;
        return HashEngine.openDamaged(BadDisk.under(context), given, checkpointLsn, losses);
    }
}
