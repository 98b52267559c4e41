package io.kvstore.client;

import io.kvstore.thrift.KVStoreService;
import org.apache.thrift.TException;

/** A call of the service. It can be made over any connection. */
@FunctionalInterface
interface Call<T> {

    T on(KVStoreService.Iface service) throws TException;
}
