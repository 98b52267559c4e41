/** The Thrift edge: framed connections with limits of our own, and the service that {@code kvstore.thrift} describes. */
@NullMarked
package io.kvstore.server.thrift;

import org.jspecify.annotations.NullMarked;
