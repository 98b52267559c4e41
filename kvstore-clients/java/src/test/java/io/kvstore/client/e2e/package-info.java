/** The scenarios over the network, against a server that runs. */
@NullMarked
package io.kvstore.client.e2e;

import org.jspecify.annotations.NullMarked;
