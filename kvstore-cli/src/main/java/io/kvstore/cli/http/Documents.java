package io.kvstore.cli.http;

import io.kvstore.client.ClientBatch;
import io.kvstore.client.ClientCondition;
import io.kvstore.client.ClientDurability;
import io.kvstore.client.ClientRestore;
import io.kvstore.client.error.KVClientException;
import java.io.ByteArrayOutputStream;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.Base64Variants;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

/** The JSON documents of requests. */
final class Documents {

    private static final JsonMapper MAPPER = new JsonMapper();

    private Documents() {}

    /** Writes the fields of a document. */
    private interface Fields {
        void write(JsonGenerator json);
    }

    private static byte[] object(Fields fields) {
        ByteArrayOutputStream document = new ByteArrayOutputStream();
        try (JsonGenerator json = MAPPER.createGenerator(document)) {
            json.writeStartObject();
            fields.write(json);
            json.writeEndObject();
        }
        return document.toByteArray();
    }

    static byte[] definition(String engine, Map<String, String> options) {
        return object(json -> {
            json.writeStringProperty("engine", engine);
            options(json, options);
        });
    }

    static byte[] options(Map<String, String> options) {
        return object(json -> options(json, options));
    }

    private static void options(JsonGenerator json, Map<String, String> options) {
        json.writeObjectPropertyStart("options");
        options.forEach(json::writeStringProperty);
        json.writeEndObject();
    }

    /** @param database of a table, or null */
    static byte[] job(String kind, @Nullable String database, @Nullable String table) {
        return object(json -> {
            json.writeStringProperty("kind", kind);
            if (database != null) {
                json.writeStringProperty("database", database);
                json.writeStringProperty("table", table);
            }
        });
    }

    static byte[] restore(ClientRestore restore) {
        return object(json -> {
            json.writeStringProperty("kind", "restore");
            json.writeNumberProperty("backup", restore.backup());
            json.writeStringProperty("database", restore.database());
            json.writeStringProperty("restored_as", restore.restoredAs());
        });
    }

    static byte[] name(String name) {
        return object(json -> json.writeStringProperty("name", name));
    }

    static byte[] delta(long delta) {
        return object(json -> json.writeNumberProperty("delta", delta));
    }

    static byte[] keys(List<byte[]> keys) {
        return object(json -> {
            json.writeArrayPropertyStart("keys");
            for (byte[] key : keys) {
                json.writeStartObject();
                bytes(json, "key", Paths.key(key));
                json.writeEndObject();
            }
            json.writeEndArray();
        });
    }

    static byte[] batch(ClientBatch batch, ClientDurability durability) {
        return object(json -> {
            String asked = durability(durability);
            if (asked != null) {
                json.writeStringProperty("durability", asked);
            }
            json.writeArrayPropertyStart("checks");
            batch.checks().forEach(check -> write(json, check));
            json.writeEndArray();
            json.writeArrayPropertyStart("mutations");
            batch.changes().forEach(change -> write(json, change));
            json.writeEndArray();
        });
    }

    private static void write(JsonGenerator json, ClientBatch.Check check) {
        json.writeStartObject();
        json.writeStringProperty("table", check.table());
        bytes(json, "key", Paths.key(check.key()));
        switch (check.condition().kind()) {
            case ABSENT -> json.writeNullProperty("etag");
            case EXISTS -> json.writeStringProperty("etag", "*");
            case TAG_IS, VALUE_IS -> json.writeStringProperty("etag", tag(check.condition()));
        }
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, ClientBatch.Change change) {
        json.writeStartObject();
        json.writeStringProperty("table", change.table());
        bytes(json, "key", Paths.key(change.key()));
        switch (change.merge()) {
            case null -> {
                json.writeStringProperty("op", change.value() == null ? "delete" : "put");
                if (change.value() != null) {
                    bytes(json, "value", change.value());
                }
            }
            case ClientBatch.Merge.Add add -> {
                json.writeStringProperty("op", "add");
                json.writeNumberProperty("delta", add.delta());
            }
            case ClientBatch.Merge.Append append -> {
                json.writeStringProperty("op", "append");
                bytes(json, "value", append.suffix());
            }
            case ClientBatch.Merge.Patch patch -> {
                json.writeStringProperty("op", "patch");
                json.writeNumberProperty("offset", patch.offset());
                bytes(json, "value", patch.part());
            }
        }
        json.writeEndObject();
    }

    private static void bytes(JsonGenerator json, String name, byte[] bytes) {
        json.writeName(name + "_b64");
        json.writeBinary(Base64Variants.MODIFIED_FOR_URL, bytes, 0, bytes.length);
    }

    /** The tag of a condition as HTTP writes it, without quotes. */
    static String tag(ClientCondition condition) {
        if (condition.kind() == ClientCondition.Kind.VALUE_IS) {
            throw KVClientException.invalid(
                    "the HTTP API compares no values; give a thrift:// URL, or compare the tag of the value");
        }
        return HexFormat.of().toHexDigits(condition.tag());
    }

    /** The durability that a write asks for; null: the table's. */
    static @Nullable String durability(ClientDurability durability) {
        return durability == ClientDurability.TABLE_DEFAULT
                ? null
                : durability.name().toLowerCase(Locale.ROOT);
    }
}
