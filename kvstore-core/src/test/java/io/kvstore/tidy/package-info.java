/** Checks of the sources and documents themselves: what neither the compiler nor the compiled classes can tell. */
@NullMarked
package io.kvstore.tidy;

import org.jspecify.annotations.NullMarked;
