package io.kvstore.bench.measure;

import java.io.IOException;
import java.util.List;

/** Runs a command without a network, where the system lets this user do so. */
public final class NetworkOff {

    /** In front of the command. */
    public static final List<String> COMMAND = List.of("unshare", "--net", "--");

    private NetworkOff() {}

    public static boolean isPossible() {
        try {
            Process process = new ProcessBuilder("unshare", "--net", "--", "true")
                    .redirectErrorStream(true)
                    .start();
            process.getInputStream().readAllBytes();
            return process.waitFor() == 0;
        } catch (IOException e) {
            return false; // there is no such command
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts this program", e);
        }
    }
}
