/** The log-structured merge tree engine. */
@NullMarked
package io.kvstore.lsm;

import org.jspecify.annotations.NullMarked;
