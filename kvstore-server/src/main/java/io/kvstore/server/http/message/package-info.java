/**
 * Requests and answers: the form of keys, values, ranges, entries and errors in HTTP. A
 * {@link io.kvstore.server.http.message.Route} is one line of the table of routes. A
 * {@link io.kvstore.server.http.message.Request} has found its route. A {@link io.kvstore.server.http.message.Reply} is the
 * answer of an endpoint.
 *
 * <p>Everything that a client sends is bounded before it costs memory: lengths, nesting, and the heap memory of an answer.
 */
@NullMarked
package io.kvstore.server.http.message;

import org.jspecify.annotations.NullMarked;
