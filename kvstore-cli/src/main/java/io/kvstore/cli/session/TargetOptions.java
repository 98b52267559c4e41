package io.kvstore.cli.session;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say where a command works. */
public final class TargetOptions {

    @Option(
            names = "--url",
            paramLabel = "URL",
            description =
                    "thrift://HOST:PORT, thrifts://HOST:PORT for TLS, http://HOST:PORT, https://HOST:PORT, or the directory"
                            + " of a store, such as ./data. Default: KVSTORE_URL, the profile, or " + Target.DEFAULT)
    private @Nullable String url;

    @Option(
            names = "--profile",
            paramLabel = "NAME",
            description = "The profile of ~/.config/kvstore/config.toml. Default: KVSTORE_PROFILE, or \"default\"")
    private @Nullable String profile;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "A file whose first line is the token. Default: the token in KVSTORE_TOKEN")
    private @Nullable Path tokenFile;

    @Option(
            names = "--ca-file",
            paramLabel = "FILE",
            description =
                    "With thrifts:// and https://, certificates in PEM form: trust those, and what they have signed."
                            + " Default: KVSTORE_CA_FILE, the profile, or what the JDK trusts")
    private @Nullable Path caFile;

    @Option(
            names = "--read-only",
            description = "Refuse whatever would write. A directory is not written to at all, and others may read it"
                    + " meanwhile.")
    private boolean readOnly;

    @Nullable
    String url() {
        return url;
    }

    @Nullable
    String profile() {
        return profile;
    }

    @Nullable
    Path tokenFile() {
        return tokenFile;
    }

    @Nullable
    Path caFile() {
        return caFile;
    }

    /** Whether a command works where its session does. */
    public boolean isNone() {
        return !isAnyGiven();
    }

    boolean isReadOnly() {
        return readOnly;
    }

    boolean isAnyGiven() {
        return url != null || profile != null || tokenFile != null || caFile != null || readOnly;
    }
}
