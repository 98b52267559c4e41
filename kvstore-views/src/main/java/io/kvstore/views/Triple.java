package io.kvstore.views;

/**
 * Three values, such as the parts of a key. {@link Codecs#triple} orders triples by the first part, then by the second, then by
 * the third.
 *
 * @param first the first part
 * @param second the second part
 * @param third the third part
 */
public record Triple<A, B, C>(A first, B second, C third) {}
