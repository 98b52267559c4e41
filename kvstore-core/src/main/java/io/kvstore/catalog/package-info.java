/** Databases, tables and their ids, in one file that is replaced atomically. */
@NullMarked
package io.kvstore.catalog;

import org.jspecify.annotations.NullMarked;
