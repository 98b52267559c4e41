/** Load on servers over sockets: a client that is light enough not to be what is measured, and a server that does nothing. */
@NullMarked
package io.kvstore.bench.edge;

import org.jspecify.annotations.NullMarked;
