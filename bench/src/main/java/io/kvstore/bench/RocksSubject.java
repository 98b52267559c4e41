package io.kvstore.bench;

import java.io.IOException;
import java.nio.file.Path;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

/** RocksDB with its log, the same memory, and no compression. */
final class RocksSubject implements Subject {

    private final Options options = new Options();
    private final WriteOptions buffered = new WriteOptions();
    private final WriteOptions synced = new WriteOptions().setSync(true);
    private final RocksDB db;

    RocksSubject(Path directory, SubjectKind kind, long memTableBytes) throws IOException {
        RocksDB.loadLibrary();
        options.setCreateIfMissing(true)
                .setCompressionType(CompressionType.NO_COMPRESSION)
                .setWriteBufferSize(memTableBytes)
                .setMaxWriteBufferNumber(4)
                .setMaxBackgroundJobs(2)
                .setEnablePipelinedWrite(kind == SubjectKind.ROCKSDB_PIPELINED)
                .setTableFormatConfig(new BlockBasedTableConfig().setFilterPolicy(new BloomFilter(10)));
        if (kind == SubjectKind.ROCKSDB_RECYCLED) {
            options.setRecycleLogFileNum(4);
        }
        try {
            db = RocksDB.open(options, directory.toString());
        } catch (RocksDBException e) {
            throw new IOException("RocksDB does not open", e);
        }
    }

    @Override
    public void put(byte[] key, byte[] value, boolean isSynced) throws IOException {
        try {
            db.put(isSynced ? synced : buffered, key, value);
        } catch (RocksDBException e) {
            throw new IOException("RocksDB does not write", e);
        }
    }

    @Override
    public void settle() throws IOException {
        try (FlushOptions waiting = new FlushOptions().setWaitForFlush(true)) {
            db.flush(waiting);
            db.compactRange();
        } catch (RocksDBException e) {
            throw new IOException("RocksDB does not compact", e);
        }
    }

    @Override
    public long syncs() {
        return -1;
    }

    @Override
    public void close() {
        db.close();
        synced.close();
        buffered.close();
        options.close();
    }
}
