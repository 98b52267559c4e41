package io.kvstore.client.e2e;

import static org.junit.platform.engine.discovery.ClassNameFilter.excludeClassNamePatterns;
import static org.junit.platform.engine.discovery.ClassNameFilter.includeClassNamePatterns;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the unit tests and then all scenarios against a server, and writes a line for each scenario into a file, which may be
 * the console. Arguments: the file, HOST:PORT, and the token of a server that has one.
 */
public final class EndToEnd {

    /** Where a system property has the server's address. */
    static final String ADDRESS = "kvstore.e2e.address";

    /** Where a system property has the server's token. */
    static final String TOKEN = "kvstore.e2e.token";

    private EndToEnd() {}

    /** Ends with 0 when all holds, else with 1. */
    public static void main(String[] args) throws IOException {
        System.setProperty(ADDRESS, args[1]);
        if (args.length > 2) {
            System.setProperty(TOKEN, args[2]);
        }
        boolean good;
        try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(Path.of(args[0]), StandardCharsets.UTF_8))) {
            good = run(out);
        }
        System.exit(good ? 0 : 1);
    }

    private static boolean run(PrintWriter out) {
        Launcher launcher = LauncherFactory.create();
        LauncherDiscoveryRequest units = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectPackage("io.kvstore.client"))
                .filters(includeClassNamePatterns(".*Test"))
                // It belongs to the build, and needs what only the build has.
                .filters(excludeClassNamePatterns(".*\\.ArchitectureTest"))
                .build();
        ScenarioReport ofUnits = new ScenarioReport(out, false);
        launcher.execute(units, ofUnits);
        ofUnits.printSum("unit tests");
        LauncherDiscoveryRequest scenarios = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(NetworkScenarios.class))
                .build();
        ScenarioReport ofScenarios = new ScenarioReport(out, true);
        launcher.execute(scenarios, ofScenarios);
        return ofUnits.isGood() && ofScenarios.isGood();
    }
}
