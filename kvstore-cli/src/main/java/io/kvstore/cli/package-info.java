/**
 * The command {@code kvstore}. The root puts its commands together. Each group of commands has a room, above {@code rows},
 * which reads and writes entries as text, {@code console}, which has what all commands share, {@code http}, which is the client
 * of a server over its HTTP API, and {@code session}, which knows where commands work.
 */
@NullMarked
package io.kvstore.cli;

import org.jspecify.annotations.NullMarked;
