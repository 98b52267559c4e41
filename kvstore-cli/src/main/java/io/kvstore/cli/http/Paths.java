package io.kvstore.cli.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kvstore.client.ClientRange;
import io.kvstore.client.ScanOptions;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.ErrorReport;
import io.kvstore.client.error.KVClientException;
import io.kvstore.client.error.Outcome;
import io.kvstore.data.KeyOrder;
import java.net.URLEncoder;
import java.util.Base64;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Paths of the API. Bytes are written in base64url. */
final class Paths {

    static final String ROOT = "/v1";

    /** The encoding of bytes, in requests and in answers. */
    static final String ENCODING = "?encoding=base64url";

    /** The API takes 18 digits. No table has as many entries. */
    private static final long MOST_LIMIT = 999_999_999_999_999_999L;

    private static final int PAGE_ENTRIES = 1_000;
    private static final int MOST_PAGE_ENTRIES = 10_000;
    private static final int PAGE_BYTES = 1 << 20;

    private Paths() {}

    static String databases() {
        return ROOT + "/databases";
    }

    static String database(String database) {
        return databases() + "/" + segment(database);
    }

    static String table(String database, String table) {
        return database(database) + "/tables/" + segment(table);
    }

    /** @param operation the suffix of the key, such as {@code :add}, or the empty text */
    static String key(String table, byte[] key, String operation) {
        return table + "/keys/" + base64(key(key)) + operation + ENCODING;
    }

    static byte[] key(byte @Nullable [] key) {
        if (key == null) {
            throw KVClientException.invalid("the key is null; the empty key is a byte array of length 0");
        }
        if (key.length > KeyOrder.MAX_KEY_BYTES) {
            throw KVClientException.of(new ErrorReport(
                    ErrorCode.TOO_LARGE,
                    Outcome.REJECTED,
                    "the key has " + key.length + " bytes; the limit is " + KeyOrder.MAX_KEY_BYTES,
                    false,
                    null,
                    Map.of("limit", "" + KeyOrder.MAX_KEY_BYTES, "actual", "" + key.length)));
        }
        return key;
    }

    static byte[] value(byte @Nullable [] value) {
        if (value == null) {
            throw KVClientException.invalid("the value is null; remove the key, or store an empty array");
        }
        return value;
    }

    /** The query of a removal of data, which names the table once more. */
    static String confirmed(String table) {
        return "?confirm=" + segment(table);
    }

    static String count(String table, ClientRange range) {
        return table + "/count" + ENCODING + range(range, Paths::base64);
    }

    /** A page over HTTP has fewer entries at most than one over Thrift. A scan then has more pages. */
    static String page(String table, ScanOptions options) {
        int entries = options.pageEntries() == 0 ? PAGE_ENTRIES : Math.min(options.pageEntries(), MOST_PAGE_ENTRIES);
        StringBuilder path = new StringBuilder(table)
                .append("/entries")
                .append(ENCODING)
                .append(range(options.range(), Paths::base64))
                .append("&limit=")
                .append(Math.min(entries, options.limit()))
                .append("&max_bytes=")
                .append(options.pageBytes() == 0 ? PAGE_BYTES : options.pageBytes());
        if (options.reversed()) {
            path.append("&reverse=true");
        }
        if (options.keysOnly()) {
            path.append("&keys_only=true");
        }
        if (options.continuation() != null) {
            path.append("&cursor=").append(base64(options.continuation()));
        }
        return path.toString();
    }

    /** A stream of the entries of a scan, whose bytes are written as the encoding says. */
    static String stream(String table, ScanOptions options, StreamEncoding encoding) {
        String limit = options.limit() > MOST_LIMIT ? "" : "&limit=" + options.limit();
        return table + "/entries?encoding=" + encoding.written() + range(options.range(), encoding::write) + limit;
    }

    private static String range(ClientRange range, Function<byte[], String> written) {
        StringJoiner query = new StringJoiner("&", "&", "").setEmptyValue("");
        if (range.prefix() != null) {
            query.add("prefix=" + written.apply(range.prefix()));
        }
        if (range.lower() != null) {
            query.add("start=" + written.apply(range.lower()));
            query.add("start_exclusive=" + !range.lowerInclusive());
        }
        if (range.upper() != null) {
            query.add("end=" + written.apply(range.upper()));
            query.add("end_inclusive=" + range.upperInclusive());
        }
        return query.toString();
    }

    static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static String segment(String name) {
        return URLEncoder.encode(name, UTF_8).replace("+", "%20");
    }
}
