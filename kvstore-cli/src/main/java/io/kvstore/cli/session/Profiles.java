package io.kvstore.cli.session;

import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.toml.TomlMapper;

/**
 * The file of profiles, {@code ~/.config/kvstore/config.toml}: tables of TOML with the keys {@code url}, {@code token_file},
 * {@code ca_file} and {@code table}. It is read only if it is there.
 */
final class Profiles {

    private static final Set<String> KEYS = Set.of("url", "token_file", "ca_file", "table");
    private static final int MOST_BYTES = 1 << 20;

    private Profiles() {}

    /**
     * One profile.
     *
     * @param source where it is from, for messages
     */
    record Profile(
            @Nullable String url,
            @Nullable Path tokenFile,
            @Nullable Path caFile,
            @Nullable String table,
            String source) {
        static final Profile NONE = new Profile(null, null, null, null, "");
    }

    /** The profile of a name, or an empty one if nobody asked for it and there is none. */
    static Profile read(Path file, @Nullable String wanted) {
        if (!Files.exists(file)) {
            if (wanted != null) {
                throw new CommandFailure(
                        ExitStatus.NOT_FOUND,
                        "the profile " + wanted + " is looked for in " + file + ", which is not there; make it with"
                                + " [" + wanted + "] and url = \"" + Target.DEFAULT + "\"");
            }
            return Profile.NONE;
        }
        JsonNode root = parse(file);
        String name = wanted == null ? "default" : wanted;
        JsonNode profile = root.get(name);
        if (profile == null && wanted == null) {
            return Profile.NONE;
        }
        if (profile == null || !profile.isObject()) {
            throw new CommandFailure(
                    ExitStatus.NOT_FOUND,
                    file + " has no profile " + name + "; there are " + new TreeSet<>(root.propertyNames()));
        }
        for (String key : profile.propertyNames()) {
            if (!KEYS.contains(key) || !profile.get(key).isString()) {
                throw new CommandFailure(
                        ExitStatus.USAGE,
                        file + ": the profile " + name + " has " + key + "; it may have the strings url, token_file,"
                                + " ca_file and table");
            }
        }
        return new Profile(
                text(profile, "url"),
                beside(file, text(profile, "token_file")),
                beside(file, text(profile, "ca_file")),
                text(profile, "table"),
                file + ", profile " + name);
    }

    private static @Nullable Path beside(Path file, @Nullable String other) {
        return other == null ? null : file.resolveSibling(other);
    }

    private static JsonNode parse(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] text = in.readNBytes(MOST_BYTES + 1);
            if (text.length > MOST_BYTES) {
                throw new CommandFailure(ExitStatus.ERROR, file + " has more than 1M; it should have profiles only");
            }
            return new TomlMapper().readTree(text);
        } catch (JacksonException e) {
            throw new CommandFailure(
                    ExitStatus.ERROR,
                    file + ", line " + e.getLocation().getLineNr() + ": this is no TOML; write [NAME] and below it"
                            + " url = \"" + Target.DEFAULT + "\"");
        } catch (IOException e) {
            throw new CommandFailure(ExitStatus.ERROR, file + " cannot be read: " + e);
        }
    }

    private static @Nullable String text(JsonNode profile, String key) {
        JsonNode value = profile.get(key);
        return value == null ? null : value.stringValue();
    }
}
