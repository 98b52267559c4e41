/**
 * Calls over the network, beside a server that does nothing and beside Redis; see the package {@code edge} for clients and
 * servers.
 */
@NullMarked
package io.kvstore.bench.net;

import org.jspecify.annotations.NullMarked;
