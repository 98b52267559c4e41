package io.kvstore.client;

import java.util.List;

/**
 * The version, the engines and the limits of a server.
 *
 * @param version the server's version
 * @param engines the names of the engines
 * @param durability the durability of tables that name none: "sync" or "buffered"
 * @param maxKeyBytes the most bytes of a key
 * @param maxValueBytes the most bytes of a value
 * @param maxFrameBytes the most bytes of a request or an answer
 * @param maxItems the most changes of a batch, the most checks of a batch, and the most keys of a getAll
 */
public record ServerDescription(
        String version,
        List<String> engines,
        String durability,
        int maxKeyBytes,
        long maxValueBytes,
        int maxFrameBytes,
        int maxItems) {}
