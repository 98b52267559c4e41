package io.kvstore.views;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.KVStore;
import io.kvstore.KVStoreOptions;
import io.kvstore.Table;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Each piece of Java in the guide to embedding, and the map in the README, prints what its comments say. */
final class GuideTest {

    private static final Path ROOT = Path.of("..");
    private static final Pattern BLOCK = Pattern.compile("^```java\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern PRINTED =
            Pattern.compile("System\\.out\\.println\\(.*\\); *// (.*)$", Pattern.MULTILINE);

    private static final String HEAD = """
            import io.kvstore.*;
            import io.kvstore.data.*;
            import io.kvstore.views.*;
            import java.io.File;
            import java.io.PrintStream;
            import java.nio.charset.StandardCharsets;
            import java.util.*;
            import java.util.concurrent.*;

            public final class Guide {
                static byte[] bytes(String text) {
                    return text.getBytes(StandardCharsets.UTF_8);
                }

                static String text(byte[] bytes) {
                    return bytes == null ? "null" : new String(bytes, StandardCharsets.UTF_8);
                }
            """;

    @TempDir
    private Path temp;

    private static List<String> blocks(String document) throws Exception {
        List<String> blocks = new ArrayList<>();
        Matcher found = BLOCK.matcher(Files.readString(ROOT.resolve(document)));
        while (found.find()) {
            blocks.add(found.group(1));
        }
        return blocks;
    }

    /** The lines that the comments of a block announce. A comment has several, with bars between them, in a loop. */
    private static List<String> announced(String block) {
        List<String> lines = new ArrayList<>();
        Matcher found = PRINTED.matcher(block);
        while (found.find()) {
            lines.addAll(Arrays.asList(found.group(1).strip().split(" \\| ")));
        }
        return lines;
    }

    @TestFactory
    Stream<DynamicTest> every_piece_prints_what_it_says() throws Exception {
        List<String> pieces = new ArrayList<>(blocks("docs/embedding.md"));
        assertTrue(pieces.size() >= 8, "the guide has " + pieces.size() + " pieces of Java");
        pieces.add(blocks("README.md").get(1));
        Class<?> guide = compiled(pieces);
        return IntStream.range(0, pieces.size())
                .mapToObj(i -> DynamicTest.dynamicTest(
                        "piece " + i, () -> assertEquals(announced(pieces.get(i)), printed(guide, "piece" + i))));
    }

    private Class<?> compiled(List<String> pieces) throws Exception {
        StringBuilder source = new StringBuilder(HEAD);
        for (int i = 0; i < pieces.size(); i++) {
            source.append("    public static void piece").append(i);
            source.append("(KVStore store0, Table table0, File directory, PrintStream out) throws Exception {\n");
            source.append(pieces.get(i).contains("KVStore store = ") ? "" : "KVStore store = store0;\n");
            source.append(pieces.get(i).contains("Table table = ") ? "" : "Table table = table0;\n");
            source.append(pieces.get(i).replace("System.out.", "out.")).append("    }\n");
        }
        Path file = Files.writeString(temp.resolve("Guide.java"), source.append("}\n"));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        int status = compiler.run(
                null,
                errors,
                errors,
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                temp.toString(),
                file.toString());
        assertEquals(0, status, () -> errors.toString(StandardCharsets.UTF_8));
        // The loader stays open while the pieces run; it has nothing but this directory.
        URLClassLoader loader = new URLClassLoader(new URL[] {temp.toUri().toURL()}, GuideTest.class.getClassLoader());
        return loader.loadClass("Guide");
    }

    private List<String> printed(Class<?> guide, String piece) throws Exception {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        Path directory = temp.resolve(piece);
        try (KVStore store = new KVStore(temp.resolve(piece + ".store"), KVStoreOptions.defaults());
                PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
            store.createDB("db");
            Table table = store.createTable("db", "t", "LSM");
            guide.getDeclaredMethod(piece, KVStore.class, Table.class, File.class, PrintStream.class)
                    .invoke(null, store, table, directory.toFile(), out);
        } catch (InvocationTargetException e) {
            throw new AssertionError(piece + " failed", e.getCause());
        }
        return printed.toString(StandardCharsets.UTF_8).lines().toList();
    }
}
