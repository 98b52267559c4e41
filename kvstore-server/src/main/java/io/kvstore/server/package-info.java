/** The server process: options, start and stop. */
@NullMarked
package io.kvstore.server;

import org.jspecify.annotations.NullMarked;
