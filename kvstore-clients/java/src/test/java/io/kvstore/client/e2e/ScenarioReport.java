package io.kvstore.client.e2e;

import java.io.PrintWriter;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/** Writes a line for each test: ok, not ok, or skipped. */
final class ScenarioReport implements TestExecutionListener {

    private static final int MOST_CHARACTERS = 500;

    private final PrintWriter out;
    private final boolean printsGood;
    private int succeeded;
    private int failed;

    /** @param printsGood whether tests that hold have a line of their own */
    ScenarioReport(PrintWriter out, boolean printsGood) {
        this.out = out;
        this.printsGood = printsGood;
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        print("skipped " + name(test) + ": " + oneLine(reason));
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        String why = result.getThrowable().map(Throwable::toString).orElse("no reason is given");
        switch (result.getStatus()) {
            case ABORTED ->
                print("skipped " + name(test) + ": " + oneLine(why.replaceFirst("^.*Assumption failed: ", "")));
            case FAILED -> {
                failed++;
                print("not ok " + name(test) + ": " + oneLine(why));
                result.getThrowable().ifPresent(this::printPlace);
            }
            case SUCCESSFUL -> {
                if (test.isTest()) {
                    succeeded++;
                    if (printsGood) {
                        print("ok " + name(test));
                    }
                }
            }
        }
    }

    /** Writes one line for all that held. */
    void printSum(String name) {
        print((isGood() ? "ok " : "not ok ") + name + ": " + succeeded + " hold, " + failed + " do not");
    }

    /** Whether something was tested, and held. */
    boolean isGood() {
        return failed == 0 && succeeded > 0;
    }

    private void printPlace(Throwable failure) {
        for (StackTraceElement frame : failure.getStackTrace()) {
            if (frame.getClassName().startsWith("io.kvstore.")) {
                print("    at " + frame);
            }
        }
    }

    private static String name(TestIdentifier test) {
        String method = test.getSource()
                .filter(MethodSource.class::isInstance)
                .map(source -> ((MethodSource) source).getMethodName())
                .orElse("");
        String shown = test.getDisplayName();
        if (method.isEmpty() || shown.startsWith(method)) {
            return shown.replace("()", "");
        }
        return method + " [" + shown + "]";
    }

    private static String oneLine(String text) {
        String line = text.replaceAll("\\s+", " ");
        return line.length() <= MOST_CHARACTERS ? line : line.substring(0, MOST_CHARACTERS) + "...";
    }

    private void print(String line) {
        out.println(line);
        out.flush();
    }
}
