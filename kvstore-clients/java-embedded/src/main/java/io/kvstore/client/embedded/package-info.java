/** The client's interface over a store in the process. */
@NullMarked
package io.kvstore.client.embedded;

import org.jspecify.annotations.NullMarked;
