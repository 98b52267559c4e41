/** What the tests of all modules share. */
@NullMarked
package io.kvstore.testkit;

import org.jspecify.annotations.NullMarked;
