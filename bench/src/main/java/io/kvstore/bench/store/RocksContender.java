package io.kvstore.bench.store;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompactionStyle;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteOptions;

/**
 * RocksDB with half of the memory in two memtables and half in the block cache, Bloom filters of 10 bits, and no compression.
 */
final class RocksContender implements Contender {

    private static final int SMALLEST_BLOB_BYTES = 256;

    private final Options options = new Options();
    private final WriteOptions writes = new WriteOptions();
    private final ReadOptions reads = new ReadOptions();
    private final BloomFilter filter = new BloomFilter(10);
    private final LRUCache cache;
    private final RocksDB db;

    RocksContender(StoreSetup setup, ContenderKind kind) throws IOException {
        RocksDB.loadLibrary();
        cache = new LRUCache(setup.budgetBytes() / 2);
        writes.setDisableWAL(setup.logging() == Logging.OFF).setSync(setup.logging() == Logging.SYNC);
        options.setCreateIfMissing(true)
                .setCompressionType(CompressionType.NO_COMPRESSION)
                .setWriteBufferSize(setup.budgetBytes() / 4)
                .setMaxWriteBufferNumber(2)
                .setMaxBackgroundJobs(2)
                .setAllowMmapReads(kind == ContenderKind.ROCKSDB_MMAP)
                .setUnorderedWrite(kind == ContenderKind.ROCKSDB_UNORDERED)
                .setTableFormatConfig(
                        new BlockBasedTableConfig().setFilterPolicy(filter).setBlockCache(cache));
        if (kind == ContenderKind.ROCKSDB_UNIVERSAL) {
            options.setCompactionStyle(CompactionStyle.UNIVERSAL);
        }
        if (kind == ContenderKind.ROCKSDB_BLOB && !setup.inline()) {
            options.setEnableBlobFiles(true).setMinBlobSize(SMALLEST_BLOB_BYTES).setEnableBlobGarbageCollection(true);
        }
        try {
            db = RocksDB.open(options, setup.directory().toString());
        } catch (RocksDBException e) {
            throw new IOException("RocksDB does not open", e);
        }
    }

    @Override
    public Session session() {
        return new RocksSession();
    }

    @Override
    public void flush() throws IOException {
        try (FlushOptions waiting = new FlushOptions().setWaitForFlush(true)) {
            db.flush(waiting);
        } catch (RocksDBException e) {
            throw new IOException("RocksDB does not flush", e);
        }
    }

    @Override
    public void close() {
        db.close();
        reads.close();
        writes.close();
        options.close();
        filter.close();
        cache.close();
    }

    private final class RocksSession implements Session {
        @Override
        public void put(byte[] key, byte[] value) throws IOException {
            try {
                db.put(writes, key, value);
            } catch (RocksDBException e) {
                throw new IOException("RocksDB does not write", e);
            }
        }

        @Override
        public void remove(byte[] key) throws IOException {
            try {
                db.delete(writes, key);
            } catch (RocksDBException e) {
                throw new IOException("RocksDB does not write", e);
            }
        }

        @Override
        public byte @Nullable [] get(byte[] key) throws IOException {
            try {
                return db.get(reads, key);
            } catch (RocksDBException e) {
                throw new IOException("RocksDB does not read", e);
            }
        }

        @Override
        public void scan(byte[] from, int limit, Visitor visitor) throws IOException {
            try (RocksIterator iterator = db.newIterator(reads)) {
                iterator.seek(from);
                for (int left = limit; left > 0 && iterator.isValid(); left--) {
                    visitor.visit(iterator.key(), iterator.value());
                    iterator.next();
                }
                iterator.status();
            } catch (RocksDBException e) {
                throw new IOException("RocksDB does not scan", e);
            }
        }

        @Override
        public void close() {
            // All sessions share the database.
        }
    }
}
