/**
 * Every error that the library reports, each with its outcome: whether the operation changed something. Beside them are the
 * few tools that every layer needs where something fails: notices for the log of the program, steps that are all done even if
 * one fails, and a look at the room that is left on the stack.
 *
 * <p>This is the bottom layer. It imports no other package of the library.
 */
@NullMarked
package io.kvstore.error;

import org.jspecify.annotations.NullMarked;
