package io.kvstore.client;

import io.kvstore.thrift.KVStoreService;
import org.apache.thrift.TException;

/** A call of the service that returns nothing. */
@FunctionalInterface
interface VoidCall {

    void on(KVStoreService.Iface service) throws TException;

    /** This as a call with a result that means nothing. */
    default Call<Boolean> asCall() {
        return service -> {
            on(service);
            return true;
        };
    }
}
