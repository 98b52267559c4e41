package io.kvstore.cli.admin;

import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.session.GivenOutput;
import io.kvstore.cli.session.Session;
import io.kvstore.cli.session.TargetOptions;
import io.kvstore.client.ServerDescription;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints versions. */
@Command(
        name = "version",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Prints the version of this command, or with --server that of the server, its engines and limits.",
        footer = {"", "Example: kvstore version --server"})
public final class VersionCommand implements Callable<Integer> {

    private final Session session;
    private final String version;

    @Option(names = "--server", description = "Ask the server, or the store, that is meant.")
    private boolean server;

    @Mixin
    private final TargetOptions target = new TargetOptions();

    @Mixin
    private final GivenOutput output = new GivenOutput();

    /** @param version of this command */
    public VersionCommand(Session session, String version) {
        this.session = session;
        this.version = version;
    }

    @Override
    public Integer call() {
        boolean isJson = output.isJson(session);
        Answer answer = new Answer().with("version", version);
        if (server) {
            ServerDescription info = session.client(target).serverInfo();
            answer.with("server", info.version())
                    .with("engines", String.join(" ", info.engines()))
                    .with("durability", info.durability())
                    .with("max_key_bytes", (long) info.maxKeyBytes())
                    .with("max_value_bytes", info.maxValueBytes())
                    .with("max_frame_bytes", (long) info.maxFrameBytes())
                    .with("max_items", (long) info.maxItems());
        }
        session.console().print(answer.text(isJson));
        return ExitStatus.OK;
    }
}
