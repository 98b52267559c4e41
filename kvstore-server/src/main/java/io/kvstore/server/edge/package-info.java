/** The parts that all edges of the server share: errors, tables by name, limits on load, continuations of scans, tokens. */
@NullMarked
package io.kvstore.server.edge;

import org.jspecify.annotations.NullMarked;
