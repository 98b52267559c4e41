/** Commands for keys and values: get, put, del, exists, scan, count, add, cas. */
@NullMarked
package io.kvstore.cli.data;

import org.jspecify.annotations.NullMarked;
