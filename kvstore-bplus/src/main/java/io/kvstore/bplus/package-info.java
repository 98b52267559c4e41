/** The B+tree engine. */
@NullMarked
package io.kvstore.bplus;

import org.jspecify.annotations.NullMarked;
