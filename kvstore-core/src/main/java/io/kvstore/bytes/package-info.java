/**
 * Tools for the bytes of files and records: how they are written, read, copied, checked and shown as text. They touch no file.
 *
 * <ul>
 *   <li>{@link io.kvstore.bytes.Slice}: a part of an array, which nobody changes.
 *   <li>{@link io.kvstore.bytes.ByteWriter} and {@link io.kvstore.bytes.ByteReader}: numbers and byte strings, one after the
 *       other. A reader refuses a length above the bytes that remain, before it allocates memory for it.
 *   <li>{@link io.kvstore.bytes.FileHeader}: the kind and the format of a file, with which every file begins.
 *   <li>{@link io.kvstore.bytes.Checksum}: the one checksum of all files.
 *   <li>{@link io.kvstore.bytes.ByteCopy}: copies between arrays and memory outside the heap.
 *   <li>{@link io.kvstore.bytes.Utf8Text}: text of bytes that must be UTF-8, which refuses others.
 *   <li>{@link io.kvstore.bytes.TextCheck} and {@link io.kvstore.bytes.JsonText}: which bytes are text, and bytes as strings of
 *       JSON. They are here for the edges, all of which write entries as lines of JSON. The store itself writes no text.
 * </ul>
 *
 * <p>The formats that are built from them stand in {@code docs/file-formats.md}.
 */
@NullMarked
package io.kvstore.bytes;

import org.jspecify.annotations.NullMarked;
