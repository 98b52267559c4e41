package io.kvstore.cli.session;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.client.ClientTable;
import io.kvstore.client.KVClient;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A client, or a table of one, that changes nothing. Calls that are known to read are passed on. Any other is refused, also one
 * that a later version of the client has. A check of the backups is refused, too: it is an operation of the server, which
 * keeps others from the directory of the backups while it runs.
 */
final class ReadOnlyClient implements InvocationHandler {

    private static final Set<String> OF_OBJECTS = Set.of("equals", "hashCode", "toString");
    private static final Set<String> OF_CLIENTS = Set.of(
            "ping",
            "serverInfo",
            "databases",
            "tables",
            "table",
            "snapshot",
            "stats",
            "backups",
            "operation",
            "operations",
            "awaitOperation",
            "close");
    private static final Set<String> OF_TABLES = Set.of(
            "database",
            "name",
            "describe",
            "stats",
            "get",
            "getTagged",
            "getAll",
            "contains",
            "scan",
            "page",
            "count",
            "withDurability");

    private final Object client;
    private final Set<String> reads;

    private ReadOnlyClient(Object client, Set<String> reads) {
        this.client = client;
        this.reads = reads;
    }

    static KVClient of(KVClient client) {
        return proxy(KVClient.class, new ReadOnlyClient(client, OF_CLIENTS));
    }

    private static <T> T proxy(Class<T> type, ReadOnlyClient handler) {
        return type.cast(Proxy.newProxyInstance(ReadOnlyClient.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    static CommandFailure refusal() {
        return new CommandFailure(
                ExitStatus.USAGE, "this command may write, which --read-only refuses; leave --read-only out");
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        if (!reads.contains(method.getName()) && !OF_OBJECTS.contains(method.getName())) {
            throw refusal();
        }
        try {
            Object answer = method.invoke(client, arguments);
            return answer instanceof ClientTable table
                    ? proxy(ClientTable.class, new ReadOnlyClient(table, OF_TABLES))
                    : answer;
        } catch (InvocationTargetException e) {
            Throwable cause = e.getCause();
            throw cause == null ? e : cause;
        }
    }
}
