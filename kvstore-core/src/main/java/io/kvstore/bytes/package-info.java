/**
 * Tools for the bytes of files and records: how they are written, read, copied and checked. They touch no file.
 *
 * <ul>
 *   <li>{@link io.kvstore.bytes.Slice}: a part of an array, which nobody changes.
 *   <li>{@link io.kvstore.bytes.ByteWriter} and {@link io.kvstore.bytes.ByteReader}: numbers and byte strings, one after the
 *       other. A reader refuses a length above the bytes that remain, before it allocates memory for it.
 *   <li>{@link io.kvstore.bytes.FileHeader}: the kind and the format of a file, with which every file begins.
 *   <li>{@link io.kvstore.bytes.Checksum}: the one checksum of all files.
 *   <li>{@link io.kvstore.bytes.ByteCopy}: copies between arrays and memory outside the heap.
 * </ul>
 *
 * <p>The formats that are built from them stand in {@code docs/file-formats.md}.
 */
@NullMarked
package io.kvstore.bytes;

import org.jspecify.annotations.NullMarked;
