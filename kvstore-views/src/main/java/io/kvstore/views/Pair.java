package io.kvstore.views;

/**
 * Two values, such as the parts of a key. {@link Codecs#pair} orders pairs by the first part, then by the second.
 *
 * @param first the first part
 * @param second the second part
 */
public record Pair<A, B>(A first, B second) {}
