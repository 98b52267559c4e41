package io.kvstore.lsm.version;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.FileHeader;
import io.kvstore.error.CorruptionException;
import io.kvstore.io.NoSpaceException;
import io.kvstore.io.UncertainOutcomeException;
import io.kvstore.lsm.sstable.SsTableListing;
import io.kvstore.testkit.Documents;
import io.kvstore.testkit.FaultPlan;
import io.kvstore.testkit.FaultyStorage;
import io.kvstore.testkit.Operation;
import io.kvstore.testkit.SimStorage;
import io.kvstore.value.segment.ValueSegmentInfo;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ManifestTest {

    private final SimStorage disk = new SimStorage();
    private final Manifest manifest = new Manifest(disk, "t", 9);

    @BeforeEach
    void makeDirectory() throws IOException {
        disk.createDirectory("t");
    }

    private static Manifest.Listed file(long number, int liveParts) {
        return new Manifest.Listed(
                new SsTableListing(number, 5000, -1, 70, 3, 11, 99), new TableFile.Contents(liveParts, 1L << 40, 12));
    }

    private static Manifest.State state() {
        Manifest.State state = new Manifest.State(99, 8, Manifest.State.empty().levels(), new ArrayList<>());
        state.levels().get(0).add(file(7, 0));
        state.levels().get(0).add(file(4, 100));
        state.levels().get(6).add(file(2, 255));
        state.segments().add(new ValueSegmentInfo(3, 100, 2));
        state.segments().add(new ValueSegmentInfo(5, 1L << 33, 7));
        return state;
    }

    @Test
    void what_is_written_is_read() throws IOException {
        assertNull(manifest.read());
        manifest.write(state());
        assertEquals(state(), manifest.read());
        manifest.write(Manifest.State.empty());
        assertEquals(Manifest.State.empty(), manifest.read());
        assertEquals(0, disk.openResources());
    }

    @Test
    void every_flipped_bit_and_every_cut_is_noticed() throws IOException {
        manifest.write(state());
        byte[] bytes = disk.bytes("t/MANIFEST");
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            byte[] damaged = bytes.clone();
            damaged[bit / 8] ^= (byte) (1 << (bit % 8));
            disk.replace("t/MANIFEST", damaged);
            assertThrows(CorruptionException.class, manifest::read);
        }
        for (int length = 0; length < bytes.length; length++) {
            disk.replace("t/MANIFEST", Arrays.copyOf(bytes, length));
            assertThrows(CorruptionException.class, manifest::read);
        }
        disk.replace("t/MANIFEST", Arrays.copyOf(bytes, bytes.length + 1));
        assertThrows(CorruptionException.class, manifest::read);
    }

    @Test
    void manifest_of_another_table_is_refused() throws IOException {
        manifest.write(state());
        CorruptionException failure = assertThrows(CorruptionException.class, () -> new Manifest(disk, "t", 8).read());
        assertTrue(String.valueOf(failure.getMessage()).contains("table 9"), failure.getMessage());
    }

    /** As releases before 0.2 wrote it. */
    @Test
    void manifest_of_version_1_is_read() throws IOException {
        ByteWriter old = new ByteWriter();
        new FileHeader("KVSLSMMF", "manifest", 1).write(old, 0);
        old.u32(0).u32(9);
        old.u8(1).varint(2).varint(99).varint(8);
        for (int level : new int[] {0, 3}) {
            ByteWriter body = new ByteWriter();
            body.u8(level);
            body.varint(7 - level)
                    .varint(5000)
                    .u32(-1)
                    .varint(70)
                    .varint(3)
                    .varint(11)
                    .varint(99);
            body.sized(new byte[] {1}).sized(new byte[] {5, 1});
            old.u8(2).varint(body.size()).raw(body.toBuffer().array(), 0, body.size());
        }
        old.setU32(16, old.size() - 20);
        disk.create("t/MANIFEST").close();
        disk.replace("t/MANIFEST", old.checksumFrom(0).toArray());
        Manifest.State state = manifest.read();
        assertNotNull(state);
        SsTableListing listing = new SsTableListing(7, 5000, -1, 70, 3, 11, 99);
        assertEquals(
                List.of(new Manifest.Listed(listing, TableFile.Contents.ALL_OVERWRITES)),
                state.levels().get(0));
        assertEquals(
                TableFile.Contents.ALL_ALIVE, state.levels().get(3).getFirst().contents());
    }

    /** Files of a later version that this one would not know to keep. */
    @Test
    void unknown_record_is_refused() throws IOException {
        manifest.write(state());
        byte[] bytes = disk.bytes("t/MANIFEST");
        ByteWriter changed = new ByteWriter().raw(bytes, 0, bytes.length - Integer.BYTES);
        changed.u8(5).varint(1).u8(0);
        changed.setU32(16, changed.size() - 20);
        CRC32C crc = new CRC32C();
        crc.update(changed.toBuffer());
        disk.replace("t/MANIFEST", changed.u32((int) crc.getValue()).toArray());
        CorruptionException failure = assertThrows(CorruptionException.class, manifest::read);
        assertTrue(String.valueOf(failure.getMessage()).contains("kind 5"), failure.getMessage());
    }

    /** A full disk before the rename leaves the old one; what may have happened or not is final. */
    @Test
    void failures_say_whether_the_old_one_is_still_there() throws IOException {
        FaultyStorage faulty = new FaultyStorage(disk);
        Manifest failing = new Manifest(faulty, "t", 9);
        manifest.write(Manifest.State.empty());
        for (Operation before : EnumSet.of(Operation.CREATE, Operation.WRITE, Operation.RENAME)) {
            faulty.arm(new FaultPlan(EnumSet.of(before), 0, false, FaultPlan.Fault.NO_SPACE));
            assertThrows(NoSpaceException.class, () -> failing.write(state()));
            assertEquals(Manifest.State.empty(), manifest.read());
        }
        for (Operation unsure : EnumSet.of(Operation.SYNC, Operation.RENAME, Operation.SYNC_DIRECTORY)) {
            faulty.arm(new FaultPlan(EnumSet.of(unsure), 0, false, FaultPlan.Fault.EIO));
            assertThrows(UncertainOutcomeException.class, () -> failing.write(state()));
            assertNotNull(manifest.read());
        }
        faulty.disarm();
        failing.write(state());
        assertEquals(state(), failing.read());
        assertEquals(0, disk.openResources());
    }

    @Test
    void the_document_says_what_the_code_writes() throws IOException {
        String text = Documents.section("docs/file-formats.md", "### Manifest");
        assertTrue(text.contains("Magic `" + Manifest.HEADER.magic() + "`, version " + Manifest.HEADER.version()));
    }
}
