/**
 * The bytes of the log, without files: a segment's header, frames with their checksums, records and watermarks.
 *
 * <p>A frame's header is read before any byte behind it is trusted. It has a checksum of its own, which also covers the
 * segment's id and the frame's offset. So bytes that an earlier use of the file left behind are never taken for a frame.
 * {@link io.kvstore.wal.format.FrameScanner} reads frames in order and looks for a frame behind an end that is torn. Recovery
 * needs it to tell an end that a crash left from damage in the middle. {@code docs/file-formats.md} has the layout.
 */
@NullMarked
package io.kvstore.wal.format;

import org.jspecify.annotations.NullMarked;
