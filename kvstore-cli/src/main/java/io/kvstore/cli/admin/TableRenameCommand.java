package io.kvstore.cli.admin;

import io.kvstore.cli.console.ExitStatus;
import io.kvstore.cli.session.Names;
import io.kvstore.cli.session.Place;
import io.kvstore.cli.session.Session;
import io.kvstore.cli.session.TableName;
import io.kvstore.cli.session.TargetOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Gives a table another name. */
@Command(
        name = "rename",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Gives a table another name in its database. Readers and writers go on. A name that another table has"
                        + " ends with status 4.",
        footer = {"", "Example: kvstore table rename demo/names people"})
final class TableRenameCommand implements Callable<Integer> {

    private final Session session;

    @Parameters(index = "0", paramLabel = "DB/TABLE", description = "The table.")
    private String table = "";

    @Parameters(index = "1", paramLabel = "NEWNAME", description = "The new name, without a database.")
    private String newName = "";

    @Mixin
    private final TargetOptions target = new TargetOptions();

    TableRenameCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() {
        TableName name = session.table(table, target);
        String checked = Names.checked("table", newName);
        session.client(target).renameTable(name.database(), name.table(), checked);
        if (target.isNone() && session.place().equals(new Place(name.database(), name.table()))) {
            session.setPlace(new Place(name.database(), checked));
        }
        return ExitStatus.OK;
    }
}
