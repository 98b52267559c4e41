/** The codec Zstandard. */
@NullMarked
package io.kvstore.codec.zstd;

import org.jspecify.annotations.NullMarked;
