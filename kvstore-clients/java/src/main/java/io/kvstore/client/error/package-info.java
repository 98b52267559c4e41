/** Every error of the client, each with its code and outcome. The bottom layer: it imports nothing of ours. */
@NullMarked
package io.kvstore.client.error;

import org.jspecify.annotations.NullMarked;
