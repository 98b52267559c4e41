/** Databases and tables, their ids and options: one file, replaced atomically. */
@NullMarked
package io.kvstore.catalog;

import org.jspecify.annotations.NullMarked;
