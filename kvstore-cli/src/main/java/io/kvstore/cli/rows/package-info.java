/** Entries as text: lines of JSON in the form of the HTTP API, and CSV with a header. */
@NullMarked
package io.kvstore.cli.rows;

import org.jspecify.annotations.NullMarked;
