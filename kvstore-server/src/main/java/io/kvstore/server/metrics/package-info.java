/** The metrics of the server: counts and times of requests, and figures of the store. */
@NullMarked
package io.kvstore.server.metrics;

import org.jspecify.annotations.NullMarked;
