/** The only users of files and channels, behind one storage interface. */
@NullMarked
package io.kvstore.io;

import org.jspecify.annotations.NullMarked;
