package io.kvstore.lsm;

import io.kvstore.bytes.Checksum;
import io.kvstore.bytes.FileHeader;
import io.kvstore.testkit.ForgedFilesContract;
import io.kvstore.testkit.Forgery;
import io.kvstore.testkit.StoreScenario;
import java.util.List;

/** Manifests with right checksums and absurd fields, besides the catalog, the log and value segments. */
final class LsmForgedFilesTest extends ForgedFilesContract {

    @Override
    protected List<StoreScenario.Engine> engines() {
        return List.of(LsmScenarios.TINY, LsmScenarios.LARGE_BLOCKS);
    }

    @Override
    protected int leastFiles() {
        return 1_500;
    }

    /** The list of files may lack one, and nobody would know. */
    @Override
    protected List<Forgery> partsOf(String path, byte[] bytes) {
        int end = bytes.length - Integer.BYTES;
        return path.endsWith("/MANIFEST")
                ? List.of(new Forgery("manifest", FileHeader.BYTES, end, false, file -> {
                    file.putInt(end, Checksum.of(Forgery.bytes(file), 0, end));
                }))
                : List.of();
    }
}
