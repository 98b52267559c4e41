/** The failures a caller can meet: one sealed, unchecked hierarchy. */
@NullMarked
package io.kvstore.error;

import org.jspecify.annotations.NullMarked;
