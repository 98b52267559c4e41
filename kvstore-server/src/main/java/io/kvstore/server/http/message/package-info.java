/**
 * Requests and answers: how keys, values, ranges, entries and errors look in HTTP. A
 * {@link io.kvstore.server.http.message.Route} is one line of the table of routes; a
 * {@link io.kvstore.server.http.message.Request} has found its route; a {@link io.kvstore.server.http.message.Reply} is what an
 * endpoint answers.
 *
 * <p>Whatever a client sends is bounded before it is paid for: lengths, nesting, and the heap of an answer.
 */
@NullMarked
package io.kvstore.server.http.message;

import org.jspecify.annotations.NullMarked;
