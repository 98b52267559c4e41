package io.kvstore.cli.data;

import io.kvstore.cli.arguments.KeyText;
import io.kvstore.cli.session.Session;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The key of a command. */
final class GivenKey {

    @Parameters(index = "0", paramLabel = "KEY", description = "The key; -- before it if it begins with a dash.")
    private String key = "";

    @Mixin
    private final KeyText text = new KeyText();

    byte[] bytes(Session session) {
        return text.bytes("KEY", key, session.usualText());
    }
}
