/**
 * Reading of sealed files. {@link io.kvstore.sealed.read.SealedFile} is what other rooms use.
 *
 * <p>A get asks the {@code Locator} for places where the record of the key may be, and {@code Records} whether it is there. A
 * walk or a count turns the bounds of its range into ordinals by {@code KeySearch}, which looks for them among the {@code
 * Fences}, and then visits one {@code RecordBlock} after the other. {@code Digests} checks lines and fences when they are
 * read for the first time. Nothing here changes, but for the digests that are known to be right; so readers take no lock.
 */
@NullMarked
package io.kvstore.sealed.read;

import org.jspecify.annotations.NullMarked;
