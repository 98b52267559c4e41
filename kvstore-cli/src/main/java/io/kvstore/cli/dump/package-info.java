/** The format of dumps: definitions and entries of tables as a stream of checked blocks. {@code docs/dump-format.md} has it. */
@NullMarked
package io.kvstore.cli.dump;

import org.jspecify.annotations.NullMarked;
