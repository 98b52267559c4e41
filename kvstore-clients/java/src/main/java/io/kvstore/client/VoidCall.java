package io.kvstore.client;

import io.kvstore.thrift.KVStoreService;
import org.apache.thrift.TException;

/** A call of the service that returns nothing. */
@FunctionalInterface
interface VoidCall {

    void on(KVStoreService.Iface service) throws TException;

    /** This call with a result that has no meaning. */
    default Call<Boolean> asCall() {
        return service -> {
            on(service);
            return true;
        };
    }
}
