package io.kvstore;

import io.kvstore.engine.TableEngineProvider;
import io.kvstore.error.InvalidRequestException;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.ServiceLoader;
import java.util.SortedMap;
import java.util.TreeMap;

/** The engines on the class path, by name. */
record EngineRegistry(SortedMap<String, TableEngineProvider> byName) {

    /** Finds the engines on the class path. Two engines with one name are an error. */
    static EngineRegistry load() {
        SortedMap<String, TableEngineProvider> found = new TreeMap<>();
        for (TableEngineProvider provider :
                ServiceLoader.load(TableEngineProvider.class, KVStore.class.getClassLoader())) {
            TableEngineProvider other = found.put(provider.name(), provider);
            if (other != null) {
                throw new InvalidRequestException("two engines are called " + provider.name() + ": "
                        + other.getClass().getName() + " and "
                        + provider.getClass().getName() + "; remove one jar from the class path");
            }
        }
        return new EngineRegistry(Collections.unmodifiableSortedMap(found));
    }

    /** The engines whose tables take files; at least one. */
    List<TableEngineProvider> forFiles() {
        List<TableEngineProvider> found = byName.values().stream()
                .filter(provider -> provider.files() != null)
                .toList();
        if (found.isEmpty()) {
            throw new InvalidRequestException("no engine on the class path has table files; add kvstore-sealed.jar");
        }
        return found;
    }

    /** The engine of that name, in any letter case. */
    TableEngineProvider get(String name) {
        TableEngineProvider provider = name == null ? null : byName.get(name.toUpperCase(Locale.ROOT));
        if (provider == null) {
            throw new InvalidRequestException("there is no engine \"" + name + "\" on the class path; there are "
                    + byName.keySet() + ". The jars are named kvstore-bplus, kvstore-hash, kvstore-lsm and"
                    + " kvstore-sealed");
        }
        return provider;
    }
}
