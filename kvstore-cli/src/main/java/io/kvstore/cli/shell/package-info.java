/** The command shell: the same commands, line by line, with history and completion on a terminal. */
@NullMarked
package io.kvstore.cli.shell;

import org.jspecify.annotations.NullMarked;
