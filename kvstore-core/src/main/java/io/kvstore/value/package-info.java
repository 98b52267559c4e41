/**
 * Values that are kept apart from the index of their table: in append-only files, the segments, into which the index has
 * pointers.
 *
 * <pre>
 *   (root)    ValueLog, the owner of all segments of a table; ValueStore, which also counts their live bytes (BPLUS);
 *             ValueSpace, the bound of the bytes that are dead, and the wait for it (BPLUS, HASH);
 *             ValueRelocation, which empties segments to give their space back (BPLUS, HASH);
 *             ValueIndex, which answers gets from index and log; IndexFiller, which makes and fills the index
 *   policy    which segments are worth emptying, and which values lie near each other
 *   index     from the hash of a key to the place of its newest value
 *   append    segments that grow, and leases of them: values in memory, written behind in large pieces, mapped for readers
 *   segment   one segment: its format, its reader and checks, its writer
 * </pre>
 *
 * <p>A room imports only rooms below it; {@code policy} and {@code index} know only {@code segment}.
 * {@code docs/design/value-log.md} has the states of a segment, and the holders of its leases.
 */
@NullMarked
package io.kvstore.value;

import org.jspecify.annotations.NullMarked;
