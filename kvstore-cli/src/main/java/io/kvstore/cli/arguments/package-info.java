/** Bytes as arguments of commands: text, hexadecimal digits, base64, and text with escapes as it is shown. */
@NullMarked
package io.kvstore.cli.arguments;

import org.jspecify.annotations.NullMarked;
