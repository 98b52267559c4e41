/** Values without behaviour that every layer shares: keys, ranges, ids, mutations. */
@NullMarked
package io.kvstore.data;

import org.jspecify.annotations.NullMarked;
