package io.kvstore.server.http.endpoint;

import io.kvstore.Table;
import io.kvstore.TableFileCopy;
import io.kvstore.TableFileUpload;
import io.kvstore.TableFiles;
import io.kvstore.engine.EngineStats;
import io.kvstore.engine.TableFileInfo;
import io.kvstore.engine.TableFileSettings;
import io.kvstore.error.CorruptionException;
import io.kvstore.server.edge.Edge;
import io.kvstore.server.edge.Lifecycle;
import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.server.edge.TableDescription;
import io.kvstore.server.edge.Tables;
import io.kvstore.server.http.message.ByteRange;
import io.kvstore.server.http.message.ETag;
import io.kvstore.server.http.message.Limits;
import io.kvstore.server.http.message.RefusedBody;
import io.kvstore.server.http.message.Reply;
import io.kvstore.server.http.message.Request;
import io.kvstore.server.http.message.StreamPace;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Gives the file of a table whose contents are a file, and takes another one for it. The ETag is the file's id. */
public final class FileHandlers {

    private static final TableFileSettings SEALING = TableFileSettings.USUAL.withSortMemoryBytes(16 << 20);
    private static final long MOST_SORT_BYTES = 64 << 20;

    /** Of the memory to sort in: a run of sorted entries takes as much when all are merged. */
    private static final int RUN_BYTES = 16 << 10;

    /** What sorting takes for an entry, beside key and value. */
    private static final int SORTED_ENTRY_BYTES = 64;

    private final Tables tables;
    private final Lifecycle lifecycle;

    public FileHandlers(Edge edge) {
        this.tables = edge.tables();
        this.lifecycle = edge.lifecycle();
    }

    /** The facts about a file that the server tells. */
    private record Described(String id, long entries, long bytes, String codec, Map<String, String> texts) {
        static Described of(TableFileInfo info) {
            return new Described(info.id(), info.entries(), info.fileBytes(), info.codec(), info.texts());
        }
    }

    private static String tag(TableFileInfo info) {
        return "\"" + info.id() + "\"";
    }

    public Reply get(Request request) {
        Table table = request.table(tables);
        TableFileCopy copy = table.files().copy();
        if (copy == null) {
            throw new ProblemException(
                    Problem.of(ProblemCode.NOT_FOUND, "the table \"" + table.name() + "\" has no file"));
        }
        Reply.Streamed answer = null;
        try {
            String tag = tag(copy.info());
            String match = request.listHeader("If-Match");
            if (match != null && !ETag.matches(match, tag)) {
                throw conditionFailed(copy.info());
            }
            String known = request.listHeader("If-None-Match");
            if (known != null && ETag.isListed(known, tag)) {
                return new Reply.Whole(304, Map.of("ETag", tag), new byte[0]);
            }
            answer = send(request, copy, tag);
            return answer;
        } catch (ProblemException e) {
            if (e.problem().code() != ProblemCode.RANGE_NOT_SATISFIABLE) {
                throw e;
            }
            return Reply.of(e.problem(), request.requestId())
                    .with("Content-Range", ByteRange.unsatisfied(copy.info().fileBytes()));
        } finally {
            if (answer == null) {
                copy.close();
            }
        }
    }

    private Reply.Streamed send(Request request, TableFileCopy copy, String tag) {
        long bytes = copy.info().fileBytes();
        String ifRange = request.header("If-Range");
        boolean isSame = ifRange == null || ifRange.strip().equals(tag);
        ByteRange part = isSame ? ByteRange.parse(request.header("Range"), bytes) : null;
        ByteRange given = part == null ? new ByteRange(0, bytes) : part;
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Content-Type", "application/octet-stream");
        headers.put("Content-Length", Long.toString(given.bytes()));
        headers.put("ETag", tag);
        headers.put("Accept-Ranges", "bytes");
        if (part != null) {
            headers.put("Content-Range", part.contentRange(bytes));
        }
        // the last step that may be refused
        Lifecycle.LongJob job = lifecycle.beginLongJob();
        return new Reply.Streamed(part == null ? 200 : 206, headers, new Sending(copy, given, job));
    }

    /** Sends a part of a file. If that fails, the answer is shorter than its Content-Length, which the client sees. */
    private final class Sending implements Reply.Writer {

        private final TableFileCopy copy;
        private final ByteRange part;
        private final Lifecycle.LongJob job;

        Sending(TableFileCopy copy, ByteRange part, Lifecycle.LongJob job) {
            this.copy = copy;
            this.part = part;
            this.job = job;
        }

        @Override
        public void write(OutputStream out) throws IOException {
            ByteBuffer piece = ByteBuffer.allocate(Limits.STREAM_CHUNK_BYTES);
            for (long at = part.first(); at < part.end(); at += piece.limit()) {
                lifecycle.checkNotStopping();
                piece.clear().limit((int) Math.min(piece.capacity(), part.end() - at));
                copy.read(at, piece);
                out.write(piece.array(), 0, piece.limit());
            }
        }

        @Override
        public void close() {
            try (job) {
                copy.close();
            }
        }
    }

    /**
     * Takes a file for a table. Until all of it has arrived and was checked, the table keeps what it has. A client sees either
     * file, never a part.
     */
    public Reply put(Request request) throws IOException {
        InputStream in = request.stream();
        try {
            TableFileInfo info = take(request, in);
            return Reply.ok(Described.of(info)).with("ETag", tag(info));
        } catch (StreamPace.TooSlowException e) {
            throw new ProblemException(request.tooSlow("the table keeps what it has, so send the file once more"));
        } catch (RuntimeException e) {
            if (request.header("Expect") == null) {
                RefusedBody.skip(in, request.pace());
            } else {
                request.endConnection(); // a client that asks first has sent little that it would have to read again
            }
            throw e;
        }
    }

    private TableFileInfo take(Request request, InputStream in) throws IOException {
        TableFiles files = request.table(tables).files();
        String expected = expectedId(request, files.info());
        try (Lifecycle.LongJob _ = lifecycle.beginLongJob();
                TableFileUpload upload = files.upload(Math.max(0, request.announcedBytes()))) {
            byte[] piece = new byte[Limits.STREAM_CHUNK_BYTES];
            for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
                lifecycle.checkNotStopping();
                upload.write(ByteBuffer.wrap(piece, 0, count));
            }
            return swapIn(upload, expected);
        }
    }

    /**
     * Makes a table of another engine a sealed one, with the same name and entries. If it is written meanwhile, it stays as it
     * is. Stops when the server is stopping.
     */
    public Reply seal(Request request) {
        Table table = request.table(tables);
        String codec = request.query().text("codec");
        EngineStats figures = table.isOrdered() ? null : table.stats().engine();
        TableFileSettings settings = (figures == null
                        ? SEALING
                        : SEALING.withSortMemoryBytes(sortMemoryBytes(figures.entries(), figures.diskBytes())))
                .withCodec(
                        codec == null ? TableFileSettings.NO_CODEC : codec.toUpperCase(Locale.ROOT),
                        SEALING.blockBytes());
        try (Lifecycle.LongJob _ = lifecycle.beginLongJob()) {
            return Reply.ok(TableDescription.of(table.seal(settings, (_, _) -> {
                lifecycle.checkNotStopping();
                return true;
            })));
        }
    }

    /**
     * Memory to sort the entries of a table in. What fits into it is a run, and it has to have room for all runs. So it grows
     * with the root of the table's bytes. Half of it may be of no use, if values are as long as a part of it.
     */
    static long sortMemoryBytes(long entries, long bytes) {
        double sorted = 2.0 * (bytes + (double) SORTED_ENTRY_BYTES * entries);
        long wanted = (long) Math.sqrt(sorted * RUN_BYTES) + RUN_BYTES;
        return Math.clamp(wanted, SEALING.sortMemoryBytes(), MOST_SORT_BYTES);
    }

    /** The id that the table's file must have when the new one takes its place: empty for none, null for any. */
    private static @Nullable String expectedId(Request request, @Nullable TableFileInfo present) {
        String match = request.listHeader("If-Match");
        String noneMatch = request.listHeader("If-None-Match");
        if (noneMatch != null && !noneMatch.strip().equals("*")) {
            throw ProblemException.invalid("If-None-Match for PUT is *: the table must have no file; or give If-Match");
        }
        if (match == null && noneMatch == null) {
            return null;
        }
        boolean holds = (match == null || ETag.matches(match, present == null ? null : tag(present)))
                && (noneMatch == null || present == null);
        if (!holds) {
            throw conditionFailed(present);
        }
        return present == null ? "" : present.id();
    }

    private static ProblemException conditionFailed(@Nullable TableFileInfo present) {
        return new ProblemException(Problem.of(
                ProblemCode.CONDITION_FAILED,
                "the table has " + (present == null ? "no file" : "the file " + present.id())));
    }

    /** A file that is damaged was damaged by the client or on its way; nothing of the store is. */
    private static TableFileInfo swapIn(TableFileUpload upload, @Nullable String expected) {
        try {
            return upload.swapIn(expected);
        } catch (CorruptionException e) {
            ProblemException refusal = new ProblemException(Problem.of(
                    ProblemCode.INVALID_FILE,
                    "the file"
                            + String.valueOf(e.getMessage()).substring(e.file().length())
                            + ". The table keeps what it has"));
            refusal.addSuppressed(e);
            throw refusal;
        }
    }
}
