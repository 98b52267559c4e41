package io.kvstore.client;

import java.util.Map;

/**
 * Statistics by name, such as "engine.height". A later version may have other names.
 *
 * @param numbers the statistics that are numbers, by name
 * @param texts the statistics that are words, by name
 */
public record Statistics(Map<String, Double> numbers, Map<String, String> texts) {}
