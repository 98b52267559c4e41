package io.kvstore.testkit;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;

/** Holds when no class of a module uses a sibling of its package: sub-packages meet in their parent. */
final class UseSubPackagesFromTheRoot extends ArchCondition<JavaClass> {
    private final String root;

    UseSubPackagesFromTheRoot(String root) {
        super("use a sub-package of " + root + " only from its parent");
        this.root = root;
    }

    @Override
    public void check(JavaClass type, ConditionEvents events) {
        String from = type.getPackageName();
        for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
            String to = dependency.getTargetClass().getPackageName();
            boolean inModule = to.startsWith(root + ".");
            if (inModule
                    && !to.equals(from)
                    && !to.substring(0, to.lastIndexOf('.')).equals(from)) {
                events.add(SimpleConditionEvent.violated(dependency, dependency.getDescription()));
            }
        }
    }
}
