package io.kvstore.lsm;

import io.kvstore.bytes.FileHeader;
import io.kvstore.testkit.ForgedFilesContract;
import io.kvstore.testkit.Forgery;
import io.kvstore.testkit.SimStorage;
import io.kvstore.testkit.StoreScenario;
import java.io.IOException;
import java.util.List;

/** Manifests and SSTables with right checksums and absurd fields, besides the catalog, the log and value segments. */
final class LsmForgedFilesTest extends ForgedFilesContract {

    @Override
    protected List<StoreScenario.Engine> engines() {
        return List.of(LsmScenarios.TINY, LsmScenarios.LARGE_BLOCKS);
    }

    @Override
    protected int leastFiles() {
        return 800;
    }

    /** The list of files may lack one, and nobody would know. */
    @Override
    protected List<Forgery> partsOf(String path, byte[] bytes) {
        if (path.endsWith("/MANIFEST")) {
            int end = bytes.length - Integer.BYTES;
            return List.of(new Forgery("manifest", FileHeader.BYTES, end, false, ForgedTables::seal));
        }
        return path.endsWith(".sst") ? new ForgedTables(bytes).parts() : List.of();
    }

    @Override
    protected void settle(String path, SimStorage disk) throws IOException {
        if (path.endsWith(".sst")) {
            ForgedTables.settle(path, disk);
        }
    }
}
