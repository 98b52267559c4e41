/** The endpoints, by subject. An endpoint turns a request into calls of the store, and their results into a reply. */
@NullMarked
package io.kvstore.server.http.endpoint;

import org.jspecify.annotations.NullMarked;
