/**
 * Calls over the network, beside servers that do nothing and beside Redis. The clients and servers are in the package
 * {@code edge}.
 */
@NullMarked
package io.kvstore.bench.net;

import org.jspecify.annotations.NullMarked;
