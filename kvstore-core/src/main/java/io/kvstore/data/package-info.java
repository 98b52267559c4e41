/** Keys, ranges, mutations and table properties: the values that all layers use. */
@NullMarked
package io.kvstore.data;

import org.jspecify.annotations.NullMarked;
