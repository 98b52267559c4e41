/** The Thrift edge: framed connections with their own limits, and the service that {@code kvstore.thrift} describes. */
@NullMarked
package io.kvstore.server.thrift;

import org.jspecify.annotations.NullMarked;
