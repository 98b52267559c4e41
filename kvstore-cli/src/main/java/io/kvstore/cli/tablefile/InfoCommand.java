package io.kvstore.cli.tablefile;

import io.kvstore.TableFile;
import io.kvstore.cli.console.Console;
import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.console.Figures;
import io.kvstore.cli.console.Printable;
import io.kvstore.cli.rows.EntryFields;
import io.kvstore.data.KeyOrder;
import io.kvstore.engine.TableFileInfo;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Tells what a table file says of itself. */
@Command(name = "info", mixinStandardHelpOptions = true, description = "Tells what a table file says of itself.")
final class InfoCommand implements Callable<Integer> {

    private final Console console;

    @Mixin
    private final GivenFile file = new GivenFile();

    @Option(
            names = "--output",
            paramLabel = "FORM",
            defaultValue = "table",
            description = "table or json. Default: ${DEFAULT-VALUE}")
    private Form output = Form.TABLE;

    enum Form {
        TABLE,
        JSON
    }

    InfoCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        try (TableFile opened = file.open()) {
            TableFileInfo info = opened.info();
            console.print(
                    switch (output) {
                        case TABLE -> table(info);
                        case JSON -> json(info) + "\n";
                    });
        }
        return ExitStatus.OK;
    }

    private String table(TableFileInfo info) {
        Map<String, String> lines = new LinkedHashMap<>();
        lines.put("file", file.path().toString());
        lines.put("id", info.id());
        lines.put("entries", Figures.count(info.entries()));
        lines.put("bytes", Figures.count(info.fileBytes()));
        lines.put("key bytes", Figures.count(info.keyBytes()));
        lines.put("value bytes", Figures.count(info.valueBytes()));
        if (info.entries() > 0) {
            lines.put("first key", KeyOrder.display(info.firstKey()));
            lines.put("last key", KeyOrder.display(info.lastKey()));
            lines.put("longest key", Figures.count(info.longestKeyBytes(), "byte"));
            lines.put("longest value", Figures.count(info.longestValueBytes(), "byte"));
        }
        lines.put("layout", info.layout());
        lines.put("codec", info.codec());
        lines.put("writer", info.writer());
        new TreeMap<>(info.texts()).forEach((name, text) -> lines.put("text " + Printable.line(name), text));
        int width = lines.keySet().stream().mapToInt(String::length).max().orElse(0);
        StringBuilder table = new StringBuilder();
        lines.forEach((name, text) -> table.append(name)
                .repeat(' ', width - name.length() + 2)
                .append(Printable.line(text))
                .append('\n'));
        return table.toString();
    }

    private static String json(TableFileInfo info) {
        EntryFields fields = new EntryFields();
        fields.text("id", info.id());
        fields.number("entries", info.entries());
        fields.number("bytes", info.fileBytes());
        fields.number("key_bytes", info.keyBytes());
        fields.number("value_bytes", info.valueBytes());
        if (info.entries() > 0) {
            fields.bytes("first_key", info.firstKey());
            fields.bytes("last_key", info.lastKey());
        }
        fields.number("longest_key_bytes", info.longestKeyBytes());
        fields.number("longest_value_bytes", info.longestValueBytes());
        fields.text("layout", info.layout());
        fields.text("codec", info.codec());
        fields.text("writer", info.writer());
        fields.texts("texts", new TreeMap<>(info.texts()));
        return fields.end();
    }
}
