/** The HTTP edge: routes to the store, without logic of its own. */
@NullMarked
package io.kvstore.server.http;

import org.jspecify.annotations.NullMarked;
