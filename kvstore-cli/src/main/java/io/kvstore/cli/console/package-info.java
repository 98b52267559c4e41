/** What all commands share: streams, exit statuses, one line for each failure, progress, and figures for people. */
@NullMarked
package io.kvstore.cli.console;

import org.jspecify.annotations.NullMarked;
