/** Commands for databases, tables and the store: db, table, stats, top, version. */
@NullMarked
package io.kvstore.cli.admin;

import org.jspecify.annotations.NullMarked;
