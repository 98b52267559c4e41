/**
 * Building of sealed files. {@link io.kvstore.sealed.build.SealedFileWriter} is what other rooms use.
 *
 * <p>A file is written from front to back. Hashes and places of its records, of which the locator and the fences are made at
 * the end, wait in {@code ScratchStreams}; so a build takes little memory for each, as docs/bounds.md says. {@code BuildFiles}
 * has all files of a build: until the end none of them has the name that was asked for, and afterwards no other is left.
 */
@NullMarked
package io.kvstore.sealed.build;

import org.jspecify.annotations.NullMarked;
