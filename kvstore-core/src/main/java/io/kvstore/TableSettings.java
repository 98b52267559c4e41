package io.kvstore;

import io.kvstore.catalog.TableInfo;
import io.kvstore.data.TableParameter;
import io.kvstore.data.TableProperties;
import io.kvstore.engine.TableEngineProvider;
import io.kvstore.error.AlreadyExistsException;
import io.kvstore.error.InvalidRequestException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Turns the parameters given to {@code createTable} into the table's properties, or refuses the wrong one by name. */
final class TableSettings {

    private final KVStoreOptions options;
    private final TableEngineProvider provider;
    private final OptionalLong inMemoryBytes;
    private final Map<String, TableParameter> known = new TreeMap<>();

    /** @param inMemoryBytes the memory of a store that does not outlive the process, without its files; empty for others */
    TableSettings(KVStoreOptions options, TableEngineProvider provider, OptionalLong inMemoryBytes) {
        this.options = options;
        this.provider = provider;
        this.inMemoryBytes = inMemoryBytes;
        for (TableConfParamsEnum common : TableConfParamsEnum.values()) {
            known.put(common.name(), common.parameter());
        }
        for (TableParameter own : provider.parameters()) {
            known.put(own.name(), own);
        }
    }

    /** Every parameter with its canonical value, given or default. */
    TableProperties resolve(Properties given) {
        Map<String, String> canonical = canonical(given);
        Map<String, String> values = defaults();
        values.putAll(provider.defaultsBeside(canonical));
        inMemoryBytes.ifPresent(bytes -> values.putAll(provider.defaultsInMemory(bytes)));
        String useless = whyUseless(canonical);
        if (useless != null) {
            refuseLog(canonical, useless);
            values.put(TableConfParamsEnum.ENABLE_WAL.name(), "false");
        }
        values.putAll(canonical);
        return new TableProperties(values);
    }

    /** Refuses a table that has another engine, or another value of a given parameter. */
    void requireSame(TableInfo table, Properties given) {
        String difference = table.engine().equals(provider.name()) ? null : "engine " + table.engine();
        for (Map.Entry<String, String> parameter : canonical(given).entrySet()) {
            // a table that is older than a parameter has its default
            String present = table.properties().asMap().getOrDefault(parameter.getKey(), defaultOf(parameter.getKey()));
            if (difference == null && !parameter.getValue().equals(present)) {
                difference = parameter.getKey() + "=" + present;
            }
        }
        if (difference != null) {
            throw new AlreadyExistsException("database " + table.database() + " has a table " + table.name() + " with "
                    + difference + " already; open it without parameters, or give the table another name");
        }
    }

    /** The properties of a table after a change. A parameter that is not online may only be given the value that it has. */
    TableProperties changed(TableInfo table, Properties changes) {
        Map<String, String> values = new TreeMap<>(table.properties().asMap());
        canonical(changes).forEach((name, value) -> {
            String present = values.getOrDefault(name, defaultOf(name));
            if (!value.equals(present)) {
                requireOnline(table, name, present, value);
                values.put(name, value);
            }
        });
        return new TableProperties(values);
    }

    private void requireOnline(TableInfo table, String name, String present, String wanted) {
        List<String> online = known.values().stream()
                .filter(TableParameter::isOnline)
                .map(TableParameter::name)
                .toList();
        if (!online.contains(name)) {
            throw new InvalidRequestException("parameter " + name + " of table " + table.name() + " stays " + present
                    + " as long as the table lives; create a table with " + name + "=" + wanted
                    + " and copy the entries (kvstore export, kvstore import). Others may change: " + online);
        }
    }

    private String defaultOf(String parameter) {
        TableParameter found = known.get(parameter);
        return found == null ? "" : found.defaultValue();
    }

    private Map<String, String> canonical(Properties given) {
        Map<String, Object> byName = new HashMap<>();
        for (Map.Entry<Object, Object> entry : given.entrySet()) {
            String name = nameOf(entry.getKey());
            if (byName.put(name, entry.getValue()) != null) {
                throw new InvalidRequestException(
                        "parameter " + name + " is given twice, by constant and by name; give it once");
            }
        }
        for (String name : given.stringPropertyNames()) {
            byName.putIfAbsent(name, given.getProperty(name));
        }
        return canonical(byName);
    }

    private Map<String, String> canonical(Map<String, Object> byName) {
        Map<String, String> values = new HashMap<>();
        for (Map.Entry<String, Object> entry : byName.entrySet()) {
            TableParameter parameter = known.get(entry.getKey());
            if (parameter == null) {
                throw new InvalidRequestException("parameter " + entry.getKey() + " is not one of engine "
                        + provider.name() + "; it knows " + known.keySet());
            }
            values.put(entry.getKey(), parameter.canonicalOf(entry.getValue()));
        }
        return values;
    }

    /** Why a log would keep nothing of the table; null if it would. */
    private @Nullable String whyUseless(Map<String, String> given) {
        if (inMemoryBytes.isPresent()) {
            return "the store is in memory";
        }
        return Boolean.parseBoolean(given.get(TableConfParamsEnum.TEMPORARY.name())) ? "TEMPORARY is true, too" : null;
    }

    private static void refuseLog(Map<String, String> given, String why) {
        if (Boolean.parseBoolean(given.get(TableConfParamsEnum.ENABLE_WAL.name()))) {
            throw new InvalidRequestException("parameter ENABLE_WAL is true, but " + why
                    + ", so a log would keep nothing; leave ENABLE_WAL out or give false");
        }
    }

    private static String nameOf(Object key) {
        return switch (key) {
            case Enum<?> constant -> constant.name();
            case String name -> name;
            default ->
                throw new InvalidRequestException(
                        "a parameter's key is a " + key.getClass().getSimpleName() + "; give the constant or its name");
        };
    }

    private Map<String, String> defaults() {
        Map<String, String> values = new HashMap<>();
        known.forEach((name, parameter) -> values.put(name, parameter.defaultValue()));
        values.put(TableConfParamsEnum.DURABILITY.name(), options.durability().name());
        values.put(TableConfParamsEnum.MAX_VALUE_BYTES.name(), Long.toString(options.maxValueBytes()));
        return values;
    }
}
