package io.kvstore.server.thrift;

import io.kvstore.thrift.KVStoreService;
import java.util.HashMap;
import java.util.Map;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TProtocol;
import org.jspecify.annotations.Nullable;

/** The methods of the service by name. They have no state, so all connections share them. */
final class Methods {

    private static final Map<String, Method> BY_NAME = new HashMap<>();

    static {
        // The processor has no service of its own. Each call passes the service that does the work.
        var functions = new KVStoreService.Processor<KVStoreService.Iface>(null).getProcessMapView();
        for (String name : functions.keySet()) {
            var function = functions.get(name);
            BY_NAME.put(name, function::process);
        }
    }

    private Methods() {}

    /** Reads the arguments of a call, does what it asks for, and writes and flushes the answer. */
    @FunctionalInterface
    interface Method {
        void answer(int sequenceId, TProtocol in, TProtocol out, KVStoreService.Iface service) throws TException;
    }

    static @Nullable Method named(String name) {
        return BY_NAME.get(name);
    }
}
