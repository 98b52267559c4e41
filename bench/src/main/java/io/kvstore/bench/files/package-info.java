/** Files that are built once and then read: sealed files, beside those of other libraries. */
@NullMarked
package io.kvstore.bench.files;

import org.jspecify.annotations.NullMarked;
