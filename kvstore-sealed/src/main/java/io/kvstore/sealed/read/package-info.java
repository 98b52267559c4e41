/**
 * Reading of sealed files. {@link io.kvstore.sealed.read.SealedFile} is what other rooms use.
 *
 * <p>A get asks the {@code Locator} for words with the tag of the key, and {@code Records} whether the record at the place of a
 * word is the key's. A walk or a count turns the bounds of its range into ordinals by {@code KeySearch}, which looks for them
 * among the {@code Fences}, and then visits one {@code RecordBlock} after the other. {@code Digests} checks lines and fences
 * when they are read for the first time. Nothing here changes, but for the digests that are known to be right; so readers take
 * no lock.
 */
@NullMarked
package io.kvstore.sealed.read;

import org.jspecify.annotations.NullMarked;
