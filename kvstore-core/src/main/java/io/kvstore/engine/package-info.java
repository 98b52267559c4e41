/** The SPI between the store and a storage engine. */
@NullMarked
package io.kvstore.engine;

import org.jspecify.annotations.NullMarked;
