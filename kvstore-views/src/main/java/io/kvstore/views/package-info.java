/**
 * Tables as maps of Java types. A {@link io.kvstore.views.TableMap} shows a table as a
 * {@link java.util.concurrent.ConcurrentNavigableMap}. {@link io.kvstore.views.Codec Codecs} say how keys and values become
 * bytes; {@link io.kvstore.views.Codecs} has those of the usual types.
 */
@NullMarked
package io.kvstore.views;

import org.jspecify.annotations.NullMarked;
