package io.kvstore.client;

import java.util.List;

/**
 * What a server is and what it accepts.
 *
 * @param version its version
 * @param engines the engines it has
 * @param durability "sync" or "buffered"
 * @param maxKeyBytes the longest key
 * @param maxValueBytes the largest value
 * @param maxFrameBytes the largest request or answer
 * @param maxItems mutations of a batch, checks of a batch, keys of a getAll
 */
public record ServerDescription(
        String version,
        List<String> engines,
        String durability,
        int maxKeyBytes,
        long maxValueBytes,
        int maxFrameBytes,
        int maxItems) {}
