/**
 * The client of a server over its HTTP API. It does what that API has a request for, and refuses the rest with the remedy. The
 * root of the room is {@link io.kvstore.cli.http.HttpApiClient}; only {@link io.kvstore.cli.http.Exchange} knows the network.
 */
@NullMarked
package io.kvstore.cli.http;

import org.jspecify.annotations.NullMarked;
