/** Where commands work: a server, or the directory of a store; and the database and table that they mean. */
@NullMarked
package io.kvstore.cli.session;

import org.jspecify.annotations.NullMarked;
