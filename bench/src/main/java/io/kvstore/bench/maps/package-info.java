/** Maps of numbers in memory: tables through their Java map, beside the maps of other libraries. */
@NullMarked
package io.kvstore.bench.maps;

import org.jspecify.annotations.NullMarked;
