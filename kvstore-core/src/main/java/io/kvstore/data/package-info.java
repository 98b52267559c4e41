/** Keys, ranges, mutations and table properties: the values that every layer speaks of. */
@NullMarked
package io.kvstore.data;

import org.jspecify.annotations.NullMarked;
