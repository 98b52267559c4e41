package io.kvstore.client.embedded;

import io.kvstore.Table;
import io.kvstore.TableConfParamsEnum;
import io.kvstore.client.ClientCondition;
import io.kvstore.client.ClientDurability;
import io.kvstore.client.ClientRange;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.ErrorReport;
import io.kvstore.client.error.KVClientException;
import io.kvstore.client.error.Outcome;
import io.kvstore.data.Condition;
import io.kvstore.data.Durability;
import io.kvstore.data.KeyOrder;
import io.kvstore.data.KeyRange;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Turns arguments of the client into those of the store. */
final class Requests {

    private Requests() {}

    /** Checks the length of a key. The error for a long key has the code that a server gives, not that of the store. */
    static byte[] key(byte[] key) {
        return key == null ? key : checkBytes("the key", key, KeyOrder.MAX_KEY_BYTES);
    }

    static List<byte[]> keys(List<byte[]> keys) {
        keys.forEach(Requests::key);
        return keys;
    }

    /** Checks the length of a value against the table's limit. */
    static byte[] value(Table table, byte[] value) {
        long limit = table.properties().wholeNumber(TableConfParamsEnum.MAX_VALUE_BYTES.name());
        return value == null ? value : checkBytes("the value", value, limit);
    }

    private static byte[] checkBytes(String what, byte[] bytes, long limit) {
        if (bytes.length > limit) {
            throw KVClientException.of(new ErrorReport(
                    ErrorCode.TOO_LARGE,
                    Outcome.REJECTED,
                    what + " has " + bytes.length + " bytes; the limit is " + limit,
                    false,
                    null,
                    Map.of("limit", Long.toString(limit), "actual", Integer.toString(bytes.length))));
        }
        return bytes;
    }

    static @Nullable Durability durability(ClientDurability given) {
        return switch (given) {
            case TABLE_DEFAULT -> null;
            case SYNC -> Durability.SYNC;
            case BUFFERED -> Durability.BUFFERED;
        };
    }

    static Condition condition(byte[] key, ClientCondition given) {
        byte[] checked = key(key);
        return switch (given.kind()) {
            case ABSENT -> new Condition.Absent(checked);
            case EXISTS -> new Condition.Exists(checked);
            case TAG_IS -> new Condition.TagIs(checked, given.tag());
            case VALUE_IS -> new Condition.ValueIs(checked, Objects.requireNonNull(given.value()));
        };
    }

    static KeyRange range(ClientRange given) {
        byte[] prefix = given.prefix();
        byte[] lower = given.lower();
        byte[] upper = given.upper();
        if (prefix != null) {
            return KeyRange.prefix(key(prefix));
        }
        KeyRange range = KeyRange.all();
        range = lower == null ? range : range.from(key(lower), given.lowerInclusive());
        return upper == null ? range : range.to(key(upper), given.upperInclusive());
    }
}
