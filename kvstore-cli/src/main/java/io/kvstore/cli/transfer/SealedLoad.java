package io.kvstore.cli.transfer;

import io.kvstore.TableFileBuilder;
import io.kvstore.TableFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Builds the file of a sealed table from its entries, in a temporary directory. */
final class SealedLoad implements EntrySink {

    private final TableFiles table;
    private final Path directory;
    private final Path file;
    private final TableFileBuilder builder;

    private SealedLoad(TableFiles table, Path directory) {
        this.table = table;
        this.directory = directory;
        this.file = directory.resolve("table.sealed");
        this.builder = TableFileBuilder.create(file);
    }

    static SealedLoad begin(TableFiles table) throws IOException {
        Path directory = Files.createTempDirectory("kvstore-load");
        try {
            return new SealedLoad(table, directory);
        } catch (Throwable e) {
            Files.delete(directory);
            throw e;
        }
    }

    @Override
    public void put(byte[] key, byte[] value) {
        builder.put(key, value);
    }

    @Override
    public void finish() {
        builder.finish();
        table.swap(file);
    }

    @Override
    public void close() {
        builder.close();
        try {
            Files.deleteIfExists(file);
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            throw new UncheckedIOException("the temporary directory of a table file cannot be deleted", e);
        }
    }
}
