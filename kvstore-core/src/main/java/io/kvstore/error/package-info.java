/** Every error that the library reports, each with its outcome. The bottom layer: it imports no other package of the library. */
@NullMarked
package io.kvstore.error;

import org.jspecify.annotations.NullMarked;
