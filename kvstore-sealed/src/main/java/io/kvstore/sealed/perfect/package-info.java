/**
 * A perfect hash of the keys of a file: it leads each key to a slot of its own, with four bits a key.
 *
 * <p>Hashes are divided by their upper bits into parts. A part has buckets, one for two keys, and a few slots more than keys.
 * The seed of the part turns a hash into a number, whose upper bits say which bucket it belongs to; the number and the
 * bucket's pilot, one byte, say which slot. {@link io.kvstore.sealed.perfect.PartPlacing} finds pilots that lead all keys of
 * a part to different slots, and {@link io.kvstore.sealed.perfect.PerfectHash} follows them. Keys with equal hashes cannot be
 * told apart: all but one of them are extras, which are listed by their hashes.
 *
 * <p>Invariants: the numbers of a part are a permutation of its hashes, so two keys that cannot be told apart have equal
 * hashes. No two keys of a part have the same slot. Whatever a table says that was accepted, a slot is one of its part's.
 */
@NullMarked
package io.kvstore.sealed.perfect;

import org.jspecify.annotations.NullMarked;
