package io.kvstore.bplus;

import io.kvstore.data.TableParameter;
import io.kvstore.engine.Findings;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.engine.TableEngineProvider;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Makes {@code BPLUS} tables; their parameters are {@link BPlusConfParamsEnum}. */
public final class BPlusEngineProvider implements TableEngineProvider {

    /** The pages of a table in memory take up to this part of the memory of its store. */
    private static final int IN_MEMORY_PART = 2;

    /** They also take at most this many times the largest heap. */
    private static final int HEAP_TIMES = 4;

    private static final long MOST_BUFFER_BYTES = 1L << 40;

    /** Found by the service loader. */
    public BPlusEngineProvider() {}

    @Override
    public String name() {
        return "BPLUS";
    }

    @Override
    public List<TableParameter> parameters() {
        return Arrays.stream(BPlusConfParamsEnum.values())
                .map(BPlusConfParamsEnum::parameter)
                .toList();
    }

    /**
     * Pages that are evicted are copied into a file in memory, so they stay in the buffer as long as the store has room. Each
     * page in the buffer has objects on the heap, about a thirtieth of its bytes.
     */
    @Override
    public Map<String, String> defaultsInMemory(long memoryBytes) {
        long heapBytes = Math.min(Runtime.getRuntime().maxMemory(), MOST_BUFFER_BYTES / HEAP_TIMES);
        return Map.of(
                BPlusConfParamsEnum.BTREE_PAGE_BUFFER_SIZE_BYTES.name(),
                Long.toString(Math.min(memoryBytes / IN_MEMORY_PART, HEAP_TIMES * heapBytes)));
    }

    @Override
    public TableEngine open(TableContext context) throws IOException {
        return BPlusEngine.open(context);
    }

    @Override
    public TableEngine openDamaged(TableContext context, long checkpointLsn, Findings losses) throws IOException {
        return BPlusEngine.openDamaged(context, losses);
    }
}
