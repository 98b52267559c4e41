/** What every edge of the server shares: errors, tables by name, limits on load, continuations of scans, tokens. */
@NullMarked
package io.kvstore.server.edge;

import org.jspecify.annotations.NullMarked;
