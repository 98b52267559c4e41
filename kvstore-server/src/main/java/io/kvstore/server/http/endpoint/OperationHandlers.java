package io.kvstore.server.http.endpoint;

import io.kvstore.DatabaseRestore;
import io.kvstore.engine.Findings;
import io.kvstore.server.edge.Edge;
import io.kvstore.server.edge.JobKind;
import io.kvstore.server.edge.JobReport;
import io.kvstore.server.edge.JobRequest;
import io.kvstore.server.edge.Jobs;
import io.kvstore.server.edge.ProblemException;
import io.kvstore.server.http.message.Json;
import io.kvstore.server.http.message.JsonFields;
import io.kvstore.server.http.message.Limits;
import io.kvstore.server.http.message.Reply;
import io.kvstore.server.http.message.Request;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Starts long operations, tells how far they are, and cancels them. No request waits for one. */
public final class OperationHandlers {

    private static final String PATH = "/v1/operations";
    private static final int FINDINGS_SHOWN = 100;

    private final Jobs jobs;

    public OperationHandlers(Edge edge) {
        this.jobs = edge.jobs();
    }

    /** Starts an operation. Answers 202 with it. */
    public Reply start(Request request) {
        JobReport begun = jobs.start(wanted(fields(request)));
        return Reply.json(202, described(begun)).with("Location", PATH + "/" + begun.id());
    }

    private static JsonFields fields(Request request) {
        return Json.read(request.body().stream(Limits.JSON_COPIES), input -> {
            JsonFields read = new JsonFields("");
            input.object("", name -> input.field(read, name));
            return read;
        });
    }

    private static JobRequest wanted(JsonFields fields) {
        JobKind kind = kind(fields.text("kind"));
        String database = null;
        String table = null;
        DatabaseRestore restore = null;
        if (kind.isOfTable()) {
            database = fields.text("database");
            table = fields.text("table");
        }
        if (kind == JobKind.RESTORE) {
            restore = new DatabaseRestore(fields.count("backup"), fields.text("database"), fields.text("restored_as"));
        }
        fields.end();
        return new JobRequest(kind, database, table, restore);
    }

    private static JobKind kind(String text) {
        for (JobKind kind : JobKind.values()) {
            if (kind.text().equals(text)) {
                return kind;
            }
        }
        throw ProblemException.invalid("there is no operation of the kind \"" + shortened(text) + "\"; give one of "
                + Arrays.stream(JobKind.values()).map(JobKind::text).collect(Collectors.joining(", ")));
    }

    private static String shortened(String text) {
        return text.length() <= 40 ? text : text.substring(0, 40) + "...";
    }

    public Reply list(Request request) {
        List<Map<String, Object>> all =
                jobs.all().stream().map(OperationHandlers::described).toList();
        return Reply.ok(Map.of("operations", all));
    }

    public Reply describe(Request request) {
        return Reply.ok(described(jobs.get(id(request))));
    }

    /** Asks an operation to stop at its next safe point. */
    public Reply cancel(Request request) {
        return Reply.ok(described(jobs.cancel(id(request))));
    }

    private static long id(Request request) {
        String text = request.name("operation");
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw ProblemException.invalid("the id of an operation is a number, not \"" + shortened(text) + "\"");
        }
    }

    /** The members that an operation has now. */
    private static Map<String, Object> described(JobReport job) {
        JobRequest request = job.request();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("id", job.id());
        json.put("kind", request.kind().text());
        put(json, "database", request.database());
        put(json, "table", request.table());
        DatabaseRestore restore = request.restore();
        if (restore != null) {
            json.put("backup", restore.backup());
            json.put("database", restore.database());
            json.put("restored_as", restore.restoredAs());
        }
        json.put("state", job.state().text());
        json.put("seconds", job.seconds());
        JobReport.Done progress = job.progress();
        if (progress != null) {
            json.put("done_bytes", progress.bytes());
            json.put("total_bytes", progress.totalBytes());
        }
        Findings findings = job.findings();
        if (findings != null) {
            json.put("total", findings.total());
            json.put("findings", findings.kept().stream().limit(FINDINGS_SHOWN).toList());
        }
        if (job.made() != null) {
            json.put("made", BackupHandlers.described(job.made()));
        }
        JobReport.Failure failure = job.failure();
        if (failure != null) {
            json.put("problem", failure.problem().asJson(failure.id()));
        }
        return json;
    }

    private static void put(Map<String, Object> json, String name, @Nullable Object value) {
        if (value != null) {
            json.put(name, value);
        }
    }
}
