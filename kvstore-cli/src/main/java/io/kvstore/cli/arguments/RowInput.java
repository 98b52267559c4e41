package io.kvstore.cli.arguments;

import io.kvstore.cli.console.ByteSize;
import io.kvstore.cli.console.CommandFailure;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.rows.Encoding;
import io.kvstore.cli.rows.LineLimit;
import io.kvstore.cli.rows.RowForm;
import io.kvstore.cli.rows.RowFormat;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say how rows are written that a command reads. */
public final class RowInput {

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "ndjson or csv. Default: csv if INPUT ends so, or else ndjson")
    private @Nullable RowFormat format;

    @Option(
            names = "--key",
            paramLabel = "FIELD",
            defaultValue = "key",
            description = "The field or column of the key. FIELD_hex and FIELD_b64 are taken for it, too."
                    + " Default: ${DEFAULT-VALUE}")
    private String key = "key";

    @Option(
            names = "--value",
            paramLabel = "FIELD",
            defaultValue = "value",
            description = "The field or column of the value. Default: ${DEFAULT-VALUE}")
    private String value = "value";

    @Option(
            names = "--key-encoding",
            paramLabel = "ENCODING",
            defaultValue = "utf8",
            description = "How FIELD of the key is written: utf8, hex or base64. Default: ${DEFAULT-VALUE}")
    private Encoding keyEncoding = Encoding.UTF8;

    @Option(
            names = "--value-encoding",
            paramLabel = "ENCODING",
            defaultValue = "utf8",
            description = "How FIELD of the value is written. Default: ${DEFAULT-VALUE}")
    private Encoding valueEncoding = Encoding.UTF8;

    @Option(
            names = "--max-line",
            paramLabel = "BYTES",
            converter = ByteSize.Converter.class,
            description = "The longest line, or field of CSV, that is read. Default: ${DEFAULT-VALUE}")
    private ByteSize maxLine;

    /** @param usualLineBytes the longest line that is read if no option says it */
    public RowInput(int usualLineBytes) {
        maxLine = new ByteSize(usualLineBytes);
    }

    /** The format of the rows of an input. */
    public RowFormat format(String input) {
        return format != null ? format : RowFormat.ofName(input);
    }

    /** The longest line that is read. */
    public LineLimit limit() {
        if (maxLine.bytes() < 1 || maxLine.bytes() > LineLimit.GREATEST_BYTES) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "--max-line is " + maxLine.bytes() + "; give 1 to " + new ByteSize(LineLimit.GREATEST_BYTES));
        }
        return LineLimit.ofOption((int) maxLine.bytes());
    }

    /** The fields of a row. */
    public RowForm form() {
        if (key.equals(value)) {
            throw new CommandFailure(
                    ExitStatus.USAGE, "--key and --value are both " + key + "; give the names of two fields");
        }
        return new RowForm(key, keyEncoding, value, valueEncoding);
    }
}
