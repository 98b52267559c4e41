/** The HTTP edge: routes to the store, no logic of its own. */
@NullMarked
package io.kvstore.server.http;

import org.jspecify.annotations.NullMarked;
