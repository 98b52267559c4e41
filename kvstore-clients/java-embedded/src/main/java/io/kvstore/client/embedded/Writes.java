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
            byte[] key = Requests.key(change.key());
            byte[] value = change.value();
            if (value != null) {
                batch.put(table, key, Requests.value(table, value));
            } else if (change.merge() != null) {
                merge(batch, table, key, change.merge());
            } else {
                batch.remove(table, key);
            }
        }
        for (ClientBatch.Check check : given.checks()) {
            batch.check(named.apply(check.table()), Requests.condition(check.key(), check.condition()));
        }
        return access.store().write(batch, Requests.durability(durability));
    }

    private static void merge(WriteBatch batch, Table table, byte[] key, ClientBatch.Merge merge) {
        switch (merge) {
            case ClientBatch.Merge.Add add -> batch.add(table, key, add.delta());
            case ClientBatch.Merge.Append append -> batch.append(table, key, Requests.value(table, append.suffix()));
            case ClientBatch.Merge.Patch patch ->
                batch.patch(table, key, patch.offset(), Requests.value(table, patch.part()));
        }
    }
}
