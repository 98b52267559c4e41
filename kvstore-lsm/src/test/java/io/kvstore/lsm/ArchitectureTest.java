package io.kvstore.lsm;

import io.kvstore.testkit.EngineRules;
import java.util.List;

/** The walls inside kvstore-lsm. */
final class ArchitectureTest extends EngineRules {
    ArchitectureTest() {
        super("io.kvstore.lsm", List.of("entry", "sstable", "options", "memtable", "version", "compaction"));
    }
}
