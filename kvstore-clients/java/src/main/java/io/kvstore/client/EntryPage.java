package io.kvstore.client;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a scan.
 *
 * @param entries the entries, in the order of the scan
 * @param continuation the argument of {@link ScanOptions#withContinuation} for the next page; null if this page is the last. It
 *     stays valid over a restart of the server and for other clients
 */
public record EntryPage(List<ClientEntry> entries, byte @Nullable [] continuation) {}
