/**
 * The client of a server over its HTTP API. It does what that API has a request for, and refuses the rest with the remedy. The
 * root of the room is {@link io.kvstore.cli.http.HttpApiClient}.
 * {@link io.kvstore.cli.http.Exchange} makes calls, and {@link io.kvstore.cli.http.Connections} says how the library is used.
 */
@NullMarked
package io.kvstore.cli.http;

import org.jspecify.annotations.NullMarked;
