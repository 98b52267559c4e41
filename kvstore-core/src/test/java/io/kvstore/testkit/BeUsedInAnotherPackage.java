package io.kvstore.testkit;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;

/** Holds when a class of another package uses the type, or one nested in it. */
final class BeUsedInAnotherPackage extends ArchCondition<JavaClass> {

    BeUsedInAnotherPackage() {
        super("be used in another package, or be package-private");
    }

    @Override
    public void check(JavaClass type, ConditionEvents events) {
        boolean isUsed = type.getPackage().getClasses().stream()
                .filter(other -> isPartOf(other, type))
                .flatMap(part -> part.getDirectDependenciesToSelf().stream())
                .anyMatch(use -> !use.getOriginClass().getPackageName().equals(type.getPackageName()));
        if (!isUsed) {
            events.add(SimpleConditionEvent.violated(type, type.getName() + " is public and used only in its package"));
        }
    }

    private static boolean isPartOf(JavaClass part, JavaClass type) {
        return part.equals(type) || part.getName().startsWith(type.getName() + "$");
    }
}
