/** A client of a store in the same process. */
@NullMarked
package io.kvstore.client.embedded;

import org.jspecify.annotations.NullMarked;
