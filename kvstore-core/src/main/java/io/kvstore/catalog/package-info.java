/**
 * Which databases and tables there are, under which ids, and from which segment on the log is needed.
 *
 * <p>All of it is in one file, which each change replaces atomically, so a reader finds the state before a change or after
 * it. A change that fails before the new file took its name changes nothing. A failure after that is final for the store,
 * because the content of the disk is not known: {@link io.kvstore.catalog.CatalogUncertainException}. The id of a table is
 * never used again, not even after a change that failed, so a record of the log never meets another table of the same name.
 */
@NullMarked
package io.kvstore.catalog;

import org.jspecify.annotations.NullMarked;
