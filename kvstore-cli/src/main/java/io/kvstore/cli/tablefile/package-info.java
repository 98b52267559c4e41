/** The commands for table files, which need no store. */
@NullMarked
package io.kvstore.cli.tablefile;

import org.jspecify.annotations.NullMarked;
