package io.kvstore.server.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvstore.server.edge.ByteBudget;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.http.chain.Handlers;
import io.kvstore.server.http.chain.HttpRoutes;
import io.kvstore.server.http.message.Route;
import io.kvstore.server.metrics.ServerMetrics;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The OpenAPI document says what the table of routes says. */
final class OpenApiTest {

    @TempDir
    private Path directory;

    @Test
    void the_document_has_every_route_parameter_and_code() throws Exception {
        try (TestServer server = new TestServer(directory)) {
            JsonNode document = server.get("/openapi.json").expect(200).json();
            Set<String> documented = new TreeSet<>();
            for (Map.Entry<String, JsonNode> path : document.get("paths").properties()) {
                for (Map.Entry<String, JsonNode> operation : path.getValue().properties()) {
                    documented.add(operation.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey() + " "
                            + queryParameters(document, operation.getValue()));
                }
            }
            Set<String> routes = new TreeSet<>();
            for (Route route : new HttpRoutes(handlers(server)).all()) {
                routes.add(route.name() + " " + new TreeSet<>(route.parameters()));
            }
            assertEquals(String.join("\n", routes), String.join("\n", documented));
            Set<String> codes = Arrays.stream(ProblemCode.values())
                    .map(ProblemCode::text)
                    .collect(Collectors.toCollection(TreeSet::new));
            Set<String> listed = new TreeSet<>();
            document.at("/components/schemas/Problem/properties/code/enum")
                    .forEach(code -> listed.add(code.stringValue()));
            assertEquals(codes, listed);
        }
    }

    private static Set<String> queryParameters(JsonNode document, JsonNode operation) {
        Set<String> names = new TreeSet<>();
        JsonNode parameters = operation.get("parameters");
        if (parameters != null) {
            for (JsonNode parameter : parameters) {
                JsonNode resolved =
                        document.at(parameter.get("$ref").stringValue().substring(1));
                if (resolved.get("in").stringValue().equals("query")) {
                    names.add(resolved.get("name").stringValue());
                }
            }
        }
        return names;
    }

    private static Handlers handlers(TestServer server) {
        return HttpServer.handlers(server.edge(), new ServerMetrics(), new ByteBudget(1));
    }
}
