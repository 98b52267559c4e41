/** The codec LZ4. */
@NullMarked
package io.kvstore.codec.lz4;

import org.jspecify.annotations.NullMarked;
