/** The only package that touches files. Everything else sees {@link io.kvstore.io.Storage}. */
@NullMarked
package io.kvstore.io;

import org.jspecify.annotations.NullMarked;
