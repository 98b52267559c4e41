package io.kvstore.testkit;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Set;

/** Holds for classes that are final, abstract, sealed, non-sealed, or listed. */
final class BeFinalOrSaySo extends ArchCondition<JavaClass> {
    private final Set<String> listed;

    BeFinalOrSaySo(Set<String> listed) {
        super("be final, abstract, sealed, non-sealed or listed as open");
        this.listed = listed;
    }

    @Override
    public void check(JavaClass type, ConditionEvents events) {
        if (mayBeExtendedBySilence(type) && !listed.contains(type.getName())) {
            events.add(SimpleConditionEvent.violated(type, type.getName() + " is not final and does not say why"));
        }
    }

    private static boolean mayBeExtendedBySilence(JavaClass type) {
        if (type.isInterface() || type.isEnum() || type.isAnonymousClass()) {
            return false;
        }
        if (type.getModifiers().contains(JavaModifier.FINAL)
                || type.getModifiers().contains(JavaModifier.ABSTRACT)) {
            return false;
        }
        Class<?> loaded = type.reflect();
        Class<?> parent = loaded.getSuperclass();
        boolean nonSealed = parent != null && parent.isSealed();
        return !loaded.isSealed() && !loaded.isEnum() && !nonSealed;
    }
}
