/**
 * The bytes of a sealed file, described in docs/sealed-file-format.md. Nothing in this room reads or writes a file.
 *
 * <p>{@link io.kvstore.sealed.format.FileIdentity} is in the header, {@link io.kvstore.sealed.format.FileParts} is the footer,
 * and {@link io.kvstore.sealed.format.FileProperties} are before it. Between them are records, lines of the locator or a
 * perfect hash, fences and digests.
 */
@NullMarked
package io.kvstore.sealed.format;

import org.jspecify.annotations.NullMarked;
