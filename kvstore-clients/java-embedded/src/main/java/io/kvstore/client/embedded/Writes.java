package io.kvstore.client.embedded;

import io.kvstore.Table;
import io.kvstore.WriteBatch;
import io.kvstore.client.ClientBatch;
import io.kvstore.client.ClientDurability;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/** Applies batches. */
final class Writes {

    private Writes() {}

    static long write(Access access, ClientBatch given, ClientDurability durability) {
        Map<String, Table> tables = new HashMap<>();
        Function<String, Table> named =
                name -> tables.computeIfAbsent(name, missing -> access.table(given.database(), missing));
        WriteBatch batch = new WriteBatch();
        for (ClientBatch.Change change : given.changes()) {
            Table table = named.apply(change.table());
            byte[] value = change.value();
            if (value == null) {
                batch.remove(table, Requests.key(change.key()));
            } else {
                batch.put(table, Requests.key(change.key()), Requests.value(table, value));
            }
        }
        for (ClientBatch.Check check : given.checks()) {
            batch.check(named.apply(check.table()), Requests.condition(check.key(), check.condition()));
        }
        return access.store().write(batch, Requests.durability(durability));
    }
}
