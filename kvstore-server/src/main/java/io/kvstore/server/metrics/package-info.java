/** What the server counts and times. */
@NullMarked
package io.kvstore.server.metrics;

import org.jspecify.annotations.NullMarked;
