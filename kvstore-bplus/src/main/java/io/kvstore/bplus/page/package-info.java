/** The bytes of one B+tree page: its layout, search in it, and every change of it. */
@NullMarked
package io.kvstore.bplus.page;

import org.jspecify.annotations.NullMarked;
