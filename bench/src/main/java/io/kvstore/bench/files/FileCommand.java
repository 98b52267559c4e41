package io.kvstore.bench.files;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Measures one format in this JVM, and prints the figures. {@link FilesCommand} starts it in a JVM. */
@Command(name = "file", hidden = true)
public final class FileCommand implements Callable<Integer> {

    @Parameters(index = "0")
    private FileKind kind = FileKind.KVSTORE;

    @Parameters(index = "1")
    private int entries;

    @Parameters(index = "2")
    private int lookups;

    @Parameters(index = "3")
    private Path directory = Path.of("");

    @Override
    public Integer call() throws Exception {
        new FileRun(kind, entries, lookups).run(Files.createDirectories(directory), figures -> {
            figures.lines().forEach(System.out::println);
            System.out.flush();
        });
        return 0;
    }
}
