package io.kvstore.engine;

import io.kvstore.error.InvalidRequestException;
import java.util.Locale;
import java.util.ServiceLoader;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The codecs on the class path. */
public final class BlockCodecs {

    /** The name for no compression. */
    public static final String NONE = "NONE";

    private BlockCodecs() {}

    /**
     * The codec of that name in capitals, or null for {@link #NONE}.
     *
     * @throws InvalidRequestException if the codec is not on the class path; the message says which jar to add
     */
    public static @Nullable BlockCodec named(String name) {
        if (name.equals(NONE)) {
            return null;
        }
        TreeMap<String, BlockCodec> found = new TreeMap<>();
        for (BlockCodec codec : ServiceLoader.load(BlockCodec.class, BlockCodecs.class.getClassLoader())) {
            found.put(codec.name(), codec);
        }
        BlockCodec codec = found.get(name);
        if (codec == null) {
            throw new InvalidRequestException("there is no codec " + name + " on the class path; there are " + NONE
                    + " and " + found.keySet() + ". Add kvstore-codec-" + name.toLowerCase(Locale.ROOT) + ".jar");
        }
        return codec;
    }
}
