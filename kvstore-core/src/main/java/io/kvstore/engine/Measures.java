package io.kvstore.engine;

import java.util.ArrayList;
import java.util.List;

/** Collects the figures that only one engine has, for its {@link EngineStats}. For one thread. */
public final class Measures {

    private final List<EngineStats.Measure> all = new ArrayList<>();

    /** Adds a figure, see {@link EngineStats.Measure}. */
    public void add(String name, long value, String help) {
        add(name, (double) value, help);
    }

    /** As {@link #add(String, long, String)}. */
    public void add(String name, double value, String help) {
        all.add(new EngineStats.Measure(name, value, help));
    }

    /** The figures, in the order in which they were added. */
    public List<EngineStats.Measure> all() {
        return List.copyOf(all);
    }
}
