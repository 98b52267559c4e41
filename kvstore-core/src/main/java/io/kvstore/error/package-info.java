/** Every error the library reports, each with its outcome. The bottom layer: it imports nothing of ours. */
@NullMarked
package io.kvstore.error;

import org.jspecify.annotations.NullMarked;
