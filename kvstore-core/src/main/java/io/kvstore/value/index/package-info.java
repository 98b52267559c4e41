/**
 * The adaptive hash index. {@link io.kvstore.value.index.HashIndex} leads from the hash of a key to the place of its newest
 * value, so that a get reads once. It is a hint: the record at that place has the key and is compared.
 *
 * <p>{@code PendingEntries} are the entries that were put last. docs/design/hash-index.md has the states and invariants.
 */
@NullMarked
package io.kvstore.value.index;

import org.jspecify.annotations.NullMarked;
