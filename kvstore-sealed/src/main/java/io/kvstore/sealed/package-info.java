/**
 * The engine SEALED: tables that are built once, in one file each, and read by anybody.
 *
 * <p>Rooms, bottom first: {@code format} has the bytes of a file, {@code perfect} a perfect hash of its keys, {@code read}
 * reads one, and {@code build} writes one.
 */
@NullMarked
package io.kvstore.sealed;

import org.jspecify.annotations.NullMarked;
