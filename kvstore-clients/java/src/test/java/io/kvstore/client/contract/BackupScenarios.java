package io.kvstore.client.contract;

import static io.kvstore.client.contract.Stage.bytes;
import static io.kvstore.client.contract.Stage.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.client.ClientBackup;
import io.kvstore.client.ClientRestore;
import io.kvstore.client.ClientTable;
import io.kvstore.client.OperationResult;
import io.kvstore.client.error.AlreadyExistsException;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.NotFoundException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Backups of the store, and databases that come back from them. */
public interface BackupScenarios extends Stage {

    /** A backup that was made, as its operation tells it. */
    private ClientBackup backup() {
        OperationResult made = client().awaitOperation(client().startBackup().id());
        assertEquals(OperationResult.Kind.BACKUP, made.kind());
        assertEquals(OperationResult.State.DONE, made.state());
        ClientBackup backup = made.backup();
        assertNotNull(backup);
        return backup;
    }

    /** A database comes back under another name, as it was. */
    @Test
    default void a_database_is_restored_as_it_was() {
        ClientTable table = newTable("lsm");
        ClientTable other = newTable("bplus");
        fill(table, 500);
        fill(other, 500);
        ClientBackup backup = backup();
        assertNull(backup.damage());
        assertTrue(backup.storeBytes() > 0 && backup.lsn() > 0, backup::toString);
        assertTrue(client().backups().contains(backup));
        table.put(Stage.key(1), bytes("changed"));
        other.remove(Stage.key(1));
        String old = database() + "_old";
        ClientRestore restore = new ClientRestore(backup.id(), database(), old);
        List<OperationResult> seen = new ArrayList<>();
        OperationResult restored =
                client().awaitOperation(client().startRestore(restore).id(), seen::add);
        assertEquals(OperationResult.Kind.RESTORE, restored.kind());
        assertEquals(OperationResult.State.DONE, restored.state());
        assertEquals(restore, restored.restore());
        assertEquals(restored, seen.get(seen.size() - 1));
        for (String name : List.of(table.name(), other.name())) {
            ClientTable again = client().table(old, name);
            assertEquals(500, again.count());
            assertArrayEquals(bytes("v" + Stage.key(1)), again.get(Stage.key(1)));
        }
        assertArrayEquals(bytes("changed"), table.get(Stage.key(1)));
        fails(
                AlreadyExistsException.class,
                ErrorCode.ALREADY_EXISTS,
                () -> client().awaitOperation(client().startRestore(restore).id()));
    }

    /** All backups are read and checked. */
    @Test
    default void backups_are_verified_and_deleted() {
        ClientBackup backup = backup();
        OperationResult verified =
                client().awaitOperation(client().startVerifyBackups().id());
        assertEquals(OperationResult.Kind.VERIFY_BACKUPS, verified.kind());
        assertEquals(0, verified.findingsTotal());
        client().deleteBackup(backup.id());
        assertFalse(client().backups().contains(backup));
        fails(NotFoundException.class, ErrorCode.NOT_FOUND, () -> client().deleteBackup(backup.id()));
    }

    /** What is not in a backup does not come back, and what is not there is named. */
    @Test
    default void only_what_a_backup_has_comes_back() {
        ClientBackup backup = backup();
        ClientRestore noDatabase = new ClientRestore(backup.id(), "not-in-it", database() + "_new");
        ClientRestore noBackup = new ClientRestore(Long.MAX_VALUE, database(), database() + "_new");
        for (ClientRestore wrong : List.of(noDatabase, noBackup)) {
            fails(
                    NotFoundException.class,
                    ErrorCode.NOT_FOUND,
                    () -> client().awaitOperation(client().startRestore(wrong).id()));
        }
        assertFalse(client().databases().contains(database() + "_new"));
    }
}
