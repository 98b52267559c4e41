package io.kvstore.cli.arguments;

import io.kvstore.cli.rows.ByteForm;
import io.kvstore.cli.rows.Encoding;
import io.kvstore.cli.rows.RowFormat;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say where a command writes entries, and how. */
public final class RowOutput {

    private static final String STANDARD_OUTPUT = "-";

    @Option(
            names = {"-o", "--out"},
            paramLabel = "OUT",
            defaultValue = STANDARD_OUTPUT,
            description = "The file to write, which has its name when it is whole; - is standard output."
                    + " Default: ${DEFAULT-VALUE}")
    private String out = STANDARD_OUTPUT;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "ndjson or csv. Default: csv if OUT ends so, or else ndjson")
    private @Nullable RowFormat format;

    @Option(
            names = "--encoding",
            paramLabel = "ENCODING",
            defaultValue = "auto",
            description =
                    "How keys and values are written: auto, utf8, hex or base64. Default: ${DEFAULT-VALUE}, which is"
                            + " text where it is text, and base64 where it is not: for each key and value of NDJSON, for all"
                            + " keys and for all values of CSV, whose entries are read twice for it")
    private ByteForm encoding = ByteForm.AUTO;

    /** The file to write; null for standard output. */
    public @Nullable Path file() {
        return out.equals(STANDARD_OUTPUT) ? null : Path.of(out);
    }

    public RowFormat format() {
        return format != null ? format : RowFormat.ofName(out);
    }

    /** The encoding of all bytes; null if they decide it. */
    public @Nullable Encoding encoding() {
        return encoding.encoding();
    }
}
