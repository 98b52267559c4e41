package io.kvstore.hash;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.kvstore.engine.TableContext;
import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A disk that does not give all bytes of the files of a table. A file in the directory of the table lists the places. */
final class BadDisk {

    private static final String LIST = "bad-sectors";
    private static final int SECTOR_BYTES = 4_096;
    private static final long WHOLE = -1;

    private record Bad(String path, long offset) {}

    private BadDisk() {}

    /** Makes the 4 KiB around a byte of a file unreadable. */
    static void lose(Path file, long offset) throws IOException {
        Files.writeString(
                file.resolveSibling(LIST),
                file.getFileName() + " " + offset / SECTOR_BYTES * SECTOR_BYTES + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    /** Makes a file one that cannot be opened. */
    static void close(Path file) throws IOException {
        Files.writeString(
                file.resolveSibling(LIST),
                file.getFileName() + " " + WHOLE + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    /** The context of a table, with its bad places if it has any. */
    static TableContext under(TableContext context) throws IOException {
        String list = context.directory() + "/" + LIST;
        if (!context.storage().exists(list)) {
            return context;
        }
        List<Bad> bad = new ArrayList<>();
        try (StorageFile file = context.storage().openReadOnly(list)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
            file.readFully(bytes, 0);
            for (String line : new String(bytes.array(), UTF_8).lines().toList()) {
                String[] words = line.split(" ", -1);
                bad.add(new Bad(context.directory() + "/" + words[0], Long.parseLong(words[1])));
            }
        }
        return new TableContext(
                over(context.storage(), bad),
                context.directory(),
                context.tableId(),
                context.fileTag(),
                context.properties(),
                context.barrier(),
                context.failures(),
                context.snapshots(),
                context.epochs(),
                context.memory(),
                context.background(),
                context.clock(),
                context.stallTimeoutMillis(),
                context.readOnly(),
                context.seed());
    }

    private static Storage over(Storage inner, List<Bad> bad) {
        return proxy(Storage.class, (method, arguments) -> {
            boolean opens =
                    method.getName().startsWith("open") || method.getName().equals("size");
            if (opens && bad.contains(new Bad((String) arguments[0], WHOLE))) {
                throw new IOException(arguments[0] + ": Input/output error");
            }
            return switch (method.getName()) {
                case "mapReadOnly" -> {
                    if (bad.stream().anyMatch(place -> place.path.equals(arguments[0]))) {
                        throw new IOException("a bad file is not mapped");
                    }
                    yield call(method, inner, arguments);
                }
                case "openReadOnly" -> over((StorageFile) requireNonNull(call(method, inner, arguments)), bad);
                default -> call(method, inner, arguments);
            };
        });
    }

    private static StorageFile over(StorageFile inner, List<Bad> bad) {
        return proxy(StorageFile.class, (method, arguments) -> {
            if (method.getName().startsWith("read")) {
                long from = (long) arguments[1];
                long end = from + ((ByteBuffer) arguments[0]).remaining();
                for (Bad place : bad) {
                    if (place.path.equals(inner.path()) && from < place.offset + SECTOR_BYTES && end > place.offset) {
                        throw new IOException(inner.path() + ": Input/output error at " + place.offset);
                    }
                }
            }
            return call(method, inner, arguments);
        });
    }

    private interface Instead {
        @Nullable
        Object call(Method method, Object[] arguments) throws Throwable;
    }

    private static @Nullable Object call(Method method, Object inner, Object[] arguments) throws Throwable {
        try {
            return method.invoke(inner, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, Instead instead) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, given) -> instead.call(method, given == null ? new Object[0] : given)));
    }
}
