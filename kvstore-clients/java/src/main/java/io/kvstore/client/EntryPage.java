package io.kvstore.client;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a scan.
 *
 * @param entries the entries, in order
 * @param continuation gives the next page; null when this was the last. It is good after a restart of the server and from
 *     another client
 */
public record EntryPage(List<ClientEntry> entries, byte @Nullable [] continuation) {}
