/** Commands that bring many entries in and out as text: import, export. */
@NullMarked
package io.kvstore.cli.transfer;

import org.jspecify.annotations.NullMarked;
