package io.kvstore.cli.rows;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which fields of a row are the key and the value. A field may have another name that says how its text is meant: {@code
 * key_hex} and {@code key_b64} stand beside {@code key}.
 *
 * @param key the field of the key
 * @param keyEncoding how the text of that field is meant
 * @param value the field of the value
 * @param valueEncoding how the text of that field is meant
 */
public record RowForm(String key, Encoding keyEncoding, String value, Encoding valueEncoding) {

    /** The form of the HTTP API. */
    public static final RowForm OF_ENTRIES = new RowForm("key", Encoding.UTF8, "value", Encoding.UTF8);

    /** @param isKey whether it is the key, and not the value */
    record Part(boolean isKey, Encoding encoding) {}

    /** Whether rows have entries of the HTTP API, and so no other fields, and a last line that says how many there are. */
    boolean isOfEntries() {
        return key.equals(OF_ENTRIES.key) && value.equals(OF_ENTRIES.value);
    }

    /** The part of a row, and the encoding, that the name of a field stands for. */
    Map<String, Part> parts() {
        Map<String, Part> parts = new LinkedHashMap<>();
        for (Encoding encoding : Encoding.values()) {
            parts.put(key + encoding.suffix(), new Part(true, encoding));
            parts.put(value + encoding.suffix(), new Part(false, encoding));
        }
        parts.put(key, new Part(true, keyEncoding));
        parts.put(value, new Part(false, valueEncoding));
        return parts;
    }

    /** The names that one of the two fields may have. */
    static String names(String field) {
        return Stream.of(Encoding.values())
                .map(encoding -> field + encoding.suffix())
                .collect(Collectors.joining(", "));
    }
}
