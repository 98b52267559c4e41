package io.kvstore.lsm;

import io.kvstore.data.TableParameter;
import io.kvstore.data.TableProperties;
import io.kvstore.engine.BlockCodecs;
import io.kvstore.engine.Findings;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.lsm.options.LsmOptions;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Opens {@code LSM} tables. Their parameters are {@link LsmConfParamsEnum}. */
public final class LsmEngineProvider implements TableEngineProvider {

    private static final String COMPRESSED_THRESHOLD_BYTES = "4096";

    /** Called by the service loader. */
    public LsmEngineProvider() {}

    @Override
    public String name() {
        return "LSM";
    }

    @Override
    public List<TableParameter> parameters() {
        return Arrays.stream(LsmConfParamsEnum.values())
                .map(LsmConfParamsEnum::parameter)
                .toList();
    }

    @Override
    public Map<String, String> defaultsBeside(Map<String, String> given) {
        String codec = given.getOrDefault(LsmConfParamsEnum.COMPRESSION.name(), BlockCodecs.NONE);
        return codec.equals(BlockCodecs.NONE)
                ? Map.of()
                : Map.of(TableProperties.VALUE_THRESHOLD_BYTES, COMPRESSED_THRESHOLD_BYTES);
    }

    @Override
    public TableEngine open(TableContext context) throws IOException {
        return LsmEngine.open(context, options(context.properties()));
    }

    @Override
    public TableEngine openDamaged(TableContext context, long checkpointLsn, Findings losses) throws IOException {
        return LsmEngine.openDamaged(context, options(context.properties()), losses);
    }

    static LsmOptions options(TableProperties properties) {
        long memTableBytes = properties.wholeNumber(LsmConfParamsEnum.MEM_CACHE_SIZE.name());
        return new LsmOptions(
                memTableBytes,
                (int) properties.wholeNumber(LsmConfParamsEnum.SPARSE_INDEX_SIZE.name()),
                properties.fraction(LsmConfParamsEnum.BLOOM_FILTER_FALSE_POSITIVE_RATE.name()),
                (int) properties.wholeNumber(LsmConfParamsEnum.MAX_SSTABLES.name()),
                properties.valueThresholdBytes(),
                BlockCodecs.named(properties.text(LsmConfParamsEnum.COMPRESSION.name())),
                LsmOptions.usualSlackBytes(memTableBytes));
    }
}
