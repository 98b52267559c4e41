package io.kvstore.views;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestSuite;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;

/**
 * Suites of JUnit 3 as dynamic tests, each case a test.
 *
 * @param wanted tells by its name whether a suite is run
 * @param beforeEach done before each case
 * @param afterEach done after each case
 */
record Suites(Predicate<String> wanted, Runnable beforeEach, Runnable afterEach) {

    /** A suite, with all that is wanted of what is in it. */
    DynamicContainer container(String name, TestSuite suite) {
        List<DynamicNode> nodes = new ArrayList<>();
        for (Test test : Collections.list(suite.tests())) {
            if (!(test instanceof TestSuite inner) || wanted.test(inner.getName())) {
                nodes.add(node(test));
            }
        }
        return DynamicContainer.dynamicContainer(name, nodes);
    }

    private DynamicNode node(Test test) {
        return switch (test) {
            case TestSuite suite -> container(suite.getName(), suite);
            case TestCase single -> DynamicTest.dynamicTest(single.getName(), () -> run(single));
            default -> throw new IllegalArgumentException("neither a suite nor a case: " + test.getClass());
        };
    }

    private void run(TestCase single) throws Throwable {
        beforeEach.run();
        try {
            single.runBare();
        } finally {
            afterEach.run();
        }
    }
}
