package io.kvstore.testkit;

import java.util.NavigableMap;
import java.util.TreeMap;

/** A simulated directory: the entries that the system shows and those on the disk. */
final class SimDirectory implements SimNode {

    final NavigableMap<String, SimNode> entries = new TreeMap<>();
    final NavigableMap<String, SimNode> durable = new TreeMap<>();
}
