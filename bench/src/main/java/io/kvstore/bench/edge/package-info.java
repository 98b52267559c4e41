/** Load on servers over sockets: a client that is light enough not to limit the rate, and servers that do nothing. */
@NullMarked
package io.kvstore.bench.edge;

import org.jspecify.annotations.NullMarked;
