/** The SPI: what a storage engine is, and what it is given. */
@NullMarked
package io.kvstore.engine;

import org.jspecify.annotations.NullMarked;
