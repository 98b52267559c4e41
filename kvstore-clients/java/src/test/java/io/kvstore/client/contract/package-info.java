/** What every implementation of {@link io.kvstore.client.KVClient} does, as scenarios that each of them runs. */
@NullMarked
package io.kvstore.client.contract;

import org.jspecify.annotations.NullMarked;
