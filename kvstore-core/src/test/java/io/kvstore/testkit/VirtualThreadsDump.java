package io.kvstore.testkit;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.PreInterruptCallback;
import org.junit.jupiter.api.extension.PreInterruptContext;

/**
 * Shows where virtual threads are when a test takes longer than any may: JUnit shows that of platform threads alone. Found by
 * the service loader.
 */
public final class VirtualThreadsDump implements PreInterruptCallback {

    /** Not one of those that a test may have made quiet. */
    private static final System.Logger LOG = System.getLogger("tests");

    private static final Pattern BETWEEN_THREADS = Pattern.compile("\n\n");

    /** For the service loader. */
    public VirtualThreadsDump() {}

    @Override
    public void beforeThreadInterrupt(PreInterruptContext interrupted, ExtensionContext test) throws IOException {
        Path directory = Files.createTempDirectory("kvstore-threads");
        Path all = directory.resolve("all.txt");
        try {
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                    .dumpThreads(all.toString(), ThreadDumpFormat.TEXT_PLAIN);
            String virtual = BETWEEN_THREADS
                    .splitAsStream(Files.readString(all))
                    .filter(thread -> thread.lines().findFirst().orElse("").contains("\" virtual"))
                    .collect(Collectors.joining("\n\n"));
            LOG.log(Level.WARNING, test.getUniqueId() + " takes too long. Virtual threads:\n" + virtual);
        } finally {
            Files.deleteIfExists(all);
            Files.delete(directory);
        }
    }
}
