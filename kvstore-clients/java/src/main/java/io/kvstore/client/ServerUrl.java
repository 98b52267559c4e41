package io.kvstore.client;

import io.kvstore.client.error.KVClientException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

/**
 * The URL of a server, read part by part. {@link java.net.URI} would refuse a host with an underscore, and would show the token
 * in its messages.
 */
final class ServerUrl {

    private static final String FORM = "kvstore://[TOKEN@]HOST[:PORT][?PARAMETERS]";

    private final String url;

    ServerUrl(String url) {
        this.url = url;
    }

    ClientOptions options() {
        int schemeEnd = url.indexOf("://");
        boolean tls = url.startsWith("kvstores://");
        if (!tls && !url.startsWith("kvstore://")) {
            throw KVClientException.invalid(
                    "the URL begins neither with kvstore:// nor with kvstores://; give " + FORM);
        }
        String rest = url.substring(schemeEnd + 3);
        if (rest.indexOf('#') >= 0) {
            throw KVClientException.invalid("the URL has a fragment; give " + FORM);
        }
        int queryStart = rest.indexOf('?');
        String query = queryStart < 0 ? "" : rest.substring(queryStart + 1);
        String authority = queryStart < 0 ? rest : rest.substring(0, queryStart);
        authority = authority.endsWith("/") ? authority.substring(0, authority.length() - 1) : authority;
        int at = authority.lastIndexOf('@');
        ClientOptions options = server(authority.substring(at + 1)).withTls(tls);
        if (at >= 0) {
            options = options.withToken(token(authority.substring(0, at)));
        }
        return withParameters(options, query);
    }

    private static ClientOptions server(String address) {
        String host;
        String port;
        if (address.startsWith("[")) {
            int end = address.indexOf(']');
            if (end < 0) {
                throw KVClientException.invalid("the URL's host has no ]; give " + FORM);
            }
            host = address.substring(1, end);
            port = address.substring(end + 1);
        } else {
            int colon = address.indexOf(':');
            host = colon < 0 ? address : address.substring(0, colon);
            port = colon < 0 ? "" : address.substring(colon);
        }
        if (host.isEmpty() || !host.chars().allMatch(c -> c > ' ' && c < 127 && "/@[]%".indexOf(c) < 0)) {
            throw KVClientException.invalid("the URL names no host; give " + FORM);
        }
        if (port.isEmpty()) {
            return ClientOptions.of(host, ClientOptions.DEFAULT_PORT);
        }
        if (!port.startsWith(":")) {
            throw KVClientException.invalid("the URL has something after its host; give " + FORM);
        }
        return ClientOptions.of(host, number("the port", port.substring(1)));
    }

    private static String token(String encoded) {
        String token;
        try {
            // In this part of a URL a plus sign stands for itself.
            token = URLDecoder.decode(encoded.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw KVClientException.invalid("the URL's token has a % that is not followed by two digits; write it %25");
        }
        if (token.isEmpty()) {
            throw KVClientException.invalid("the URL has an @ and no token before it; give " + FORM);
        }
        return token;
    }

    private static ClientOptions withParameters(ClientOptions given, String query) {
        ClientOptions options = given;
        Set<String> seen = new HashSet<>();
        for (String parameter : query.isEmpty() ? new String[0] : query.split("&", -1)) {
            int equals = parameter.indexOf('=');
            String name = equals < 0 ? parameter : parameter.substring(0, equals);
            String text = equals < 0 ? "" : parameter.substring(equals + 1);
            if (!seen.add(name)) {
                throw KVClientException.invalid("the URL has the parameter " + name + " twice");
            }
            options = switch (name) {
                case "connect_timeout_ms" -> options.withConnectTimeoutMillis(number(name, text));
                case "timeout_ms" -> options.withTimeoutMillis(number(name, text));
                case "pool" -> options.withPool(number(name, text));
                case "max_frame_bytes" -> options.withMaxFrameBytes(number(name, text));
                default ->
                    throw KVClientException.invalid("the URL has the unknown parameter \"" + name
                            + "\"; there are connect_timeout_ms, timeout_ms, pool and max_frame_bytes");
            };
        }
        return options;
    }

    private static int number(String name, String text) {
        if (text.isEmpty() || text.length() > 9 || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw KVClientException.invalid(name + " of the URL is \"" + text + "\"; give a number of up to 9 digits");
        }
        return Integer.parseInt(text);
    }
}
