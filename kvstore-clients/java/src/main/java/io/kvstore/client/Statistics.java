package io.kvstore.client;

import java.util.Map;

/**
 * Figures by their place, such as "engine.height"; which there are may change between versions.
 *
 * @param numbers those that are numbers
 * @param texts those that are words
 */
public record Statistics(Map<String, Double> numbers, Map<String, String> texts) {}
