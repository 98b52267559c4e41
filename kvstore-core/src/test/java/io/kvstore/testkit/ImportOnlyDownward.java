package io.kvstore.testkit;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.List;
import java.util.Set;

/** Holds when a class uses only its own package, what lies below that package, and packages in lower layers. */
final class ImportOnlyDownward extends ArchCondition<JavaClass> {
    private final String root;
    private final List<Set<String>> layers;

    ImportOnlyDownward(String root, List<Set<String>> layers) {
        super("import only downward in the order " + layers);
        this.root = root;
        this.layers = layers;
    }

    @Override
    public void check(JavaClass type, ConditionEvents events) {
        String from = layerPackage(type);
        if (rank(from) < 0) {
            events.add(SimpleConditionEvent.violated(type, type.getPackageName() + " has no place in the layers"));
        }
        for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
            JavaClass target = dependency.getTargetClass();
            if (!target.getName().startsWith(root + ".")) {
                continue;
            }
            String to = layerPackage(target);
            if (!from.equals(to) && rank(to) >= rank(from)) {
                events.add(SimpleConditionEvent.violated(dependency, dependency.getDescription()));
            }
        }
    }

    private int rank(String packageName) {
        for (int i = 0; i < layers.size(); i++) {
            if (layers.get(i).contains(packageName)) {
                return i;
            }
        }
        return -1;
    }

    /** The package that has a place in the layers: the root, or the one directly below it. */
    private String layerPackage(JavaClass type) {
        String name = type.getPackageName();
        int end = name.length() > root.length() ? name.indexOf('.', root.length() + 1) : -1;
        return end < 0 ? name : name.substring(0, end);
    }
}
