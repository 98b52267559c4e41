package io.kvstore.bench.files;

import com.spotify.sparkey.CompressionType;
import io.kvstore.bench.store.ContenderKind;
import io.kvstore.engine.TableFileSettings;
import io.kvstore.engine.TableFileSettings.Layout;
import java.util.Arrays;
import java.util.List;

/** The compared formats, each with the defaults of its library, except for the setting that its name states. */
enum FileKind {
    /** Sealed files of this store. */
    KVSTORE(FileGroup.TEXTS, new SealedLookups(TableFileSettings.USUAL)),
    KVSTORE_PERFECT(FileGroup.TEXTS, new SealedLookups(TableFileSettings.USUAL.withLayout(Layout.PERFECT))),
    SPARKEY(FileGroup.TEXTS, new SparkeyLookups(CompressionType.NONE, 0)),
    PALDB(FileGroup.TEXTS, new PaldbLookups()),
    KVSTORE_LZ4(FileGroup.PACKED, new SealedLookups(TableFileSettings.USUAL.withCodec("LZ4", 4 << 10))),
    SPARKEY_SNAPPY(FileGroup.PACKED, new SparkeyLookups(CompressionType.SNAPPY, 4 << 10)),
    KVSTORE_ZSTD(FileGroup.PACKED, new SealedLookups(TableFileSettings.USUAL.withCodec("ZSTD", 4 << 10))),
    SPARKEY_ZSTD(FileGroup.PACKED, new SparkeyLookups(CompressionType.ZSTD, 4 << 10)),
    KVSTORE_POINT(FileGroup.LONGS, new SealedLookups(TableFileSettings.USUAL.withLayout(Layout.POINT))),
    KVSTORE_LONGS(FileGroup.LONGS, new SealedLookups(TableFileSettings.USUAL)),
    SPARKEY_LONGS(FileGroup.LONGS, new SparkeyLookups(CompressionType.NONE, 0)),
    PALDB_LONGS(FileGroup.LONGS, new PaldbLookups()),
    KVSTORE_WIDE(FileGroup.WIDE, new SealedLookups(TableFileSettings.USUAL)),
    KVSTORE_LSM(FileGroup.WIDE, new StoreLookups(ContenderKind.KVSTORE_LSM)),
    LMDB(FileGroup.WIDE, new StoreLookups(ContenderKind.LMDB));

    private final FileGroup group;
    private final LookupFile file;

    FileKind(FileGroup group, LookupFile file) {
        this.group = group;
        this.file = file;
    }

    FileGroup group() {
        return group;
    }

    LookupFile file() {
        return file;
    }

    boolean isOurs() {
        return file instanceof SealedLookups;
    }

    /** The formats of a group, ours or all others. */
    static List<FileKind> of(FileGroup group, boolean areOurs) {
        return Arrays.stream(values())
                .filter(kind -> kind.group == group && kind.isOurs() == areOurs)
                .toList();
    }
}
