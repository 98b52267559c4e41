package io.kvstore.sealed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.kvstore.bytes.Checksum;
import io.kvstore.bytes.FileHeader;
import io.kvstore.engine.Findings;
import io.kvstore.engine.Progress;
import io.kvstore.engine.TableFileReader;
import io.kvstore.engine.TableFileSettings.Layout;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.sealed.format.Fence;
import io.kvstore.sealed.format.PointFormat;
import io.kvstore.sealed.format.RecordHead;
import io.kvstore.sealed.format.SealedFormat;
import io.kvstore.sealed.perfect.PerfectEnd;
import io.kvstore.testkit.AbsurdField;
import io.kvstore.testkit.SimStorage;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Table files whose checksums are right and in which any field of any part has an extreme or random number. Such a file is
 * refused with a typed error, or its answers are right or typed errors, or else a verification names the fault. The memory that
 * is taken does not depend on a number in a file alone. {@code -Dkv.forged.files=} asks for more files than the least.
 */
final class ForgedFieldsTest {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int ENTRIES = 150;
    private static final int VALUE_BYTES = 50;
    private static final int LEAST_FILES = 400;
    private static final int FOOTER_FIELDS = 48;
    private static final int PERFECT_TABLE = 16;
    private static final long MOST_BYTES_MORE = 4 << 20;

    private final SplittableRandom random = new SplittableRandom(Long.getLong("kv.forged.seed", 29));

    /**
     * A part of a file.
     *
     * @param isTold whether a verification has to name what a wrong answer comes from
     */
    private record Part(String kind, int from, int to, boolean isTold, Seal seal) {}

    /** Makes the checksums right that lie within the data of a file. */
    private interface Seal {
        void of(Forgery file);
    }

    static Stream<SmallFiles> files() {
        SmallFiles plain = SmallFiles.of(3, ENTRIES, VALUE_BYTES, true);
        SmallFiles perfect = plain.as(Layout.PERFECT);
        return Stream.of(plain, plain.inBlocks(512), perfect, perfect.inBlocks(512), plain.as(Layout.POINT));
    }

    @ParameterizedTest
    @MethodSource("files")
    void absurd_fields_under_right_checksums_do_no_harm(SmallFiles entries) throws IOException {
        SimStorage disk = new SimStorage();
        entries.build(disk);
        byte[] sound = disk.bytes(SmallFiles.PATH);
        List<Part> parts = partsOf(entries, new Forgery(disk));
        for (Part part : parts) {
            Forgery same = new Forgery(disk);
            seal(part, same);
            assertEquals(-1, Arrays.mismatch(sound, same.bytes), part.kind);
        }
        long before = THREADS.getCurrentThreadAllocatedBytes();
        assertEquals("right", judge(entries, disk, true));
        long most = 2 * (THREADS.getCurrentThreadAllocatedBytes() - before) + MOST_BYTES_MORE;
        Map<String, Integer> verdicts = new TreeMap<>();
        List<String> failures = new ArrayList<>();
        Map<String, List<Part>> kinds = new TreeMap<>();
        parts.forEach(part ->
                kinds.computeIfAbsent(part.kind, any -> new ArrayList<>()).add(part));
        int each = Integer.getInteger("kv.forged.files", LEAST_FILES) / kinds.size() + 1;
        for (List<Part> kind : kinds.values()) {
            for (int i = 0; i < each; i++) {
                disk.replace(SmallFiles.PATH, sound);
                Part part = kind.get(random.nextInt(kind.size()));
                String verdict = forge(entries, disk, part, most);
                verdicts.merge(verdict.substring(0, 5), 1, Integer::sum);
                if (!verdict.equals("right") && !verdict.equals("named")) {
                    failures.add(verdict);
                }
            }
        }
        assertEquals(
                List.of(), failures.subList(0, Math.min(20, failures.size())), failures.size() + " of " + verdicts);
        assertTrue(verdicts.keySet().containsAll(List.of("right", "named")), () -> "one end is never met: " + verdicts);
    }

    private String forge(SmallFiles entries, SimStorage disk, Part part, long most) {
        int width = Math.min(1 << random.nextInt(4), part.to - part.from);
        int at = part.from + random.nextInt(part.to - part.from - width + 1);
        String what = part.kind + ", " + width + " bytes at " + at + " of " + part.from + " to " + part.to + ": ";
        try {
            Forgery forged = new Forgery(disk);
            AbsurdField.put(random, forged.buffer(), at, width);
            seal(part, forged);
            disk.replace(SmallFiles.PATH, forged.bytes);
            long before = THREADS.getCurrentThreadAllocatedBytes();
            String verdict = judge(entries, disk, part.isTold);
            long taken = THREADS.getCurrentThreadAllocatedBytes() - before;
            assertTrue(taken < most, () -> taken + " bytes are taken");
            assertEquals(0, disk.openResources());
            return verdict.equals("right") || verdict.equals("named") ? verdict : "wrong " + what + verdict;
        } catch (IOException | RuntimeException | Error e) {
            return "harm  " + what + e + " "
                    + Arrays.toString(e.getStackTrace()).substring(0, 200);
        }
    }

    private static String judge(SmallFiles entries, SimStorage disk, boolean isTold) throws IOException {
        try (TableFileReader file = SmallFiles.open(disk)) {
            Findings findings = new Findings();
            file.verify(findings, Progress.NONE);
            String wrong = "";
            for (SmallFiles.Question question : entries.questions(file)) {
                try {
                    question.ask();
                } catch (CorruptionException | AssertionError e) {
                    wrong = String.valueOf(e.getMessage());
                }
            }
            return findings.total() > 0 ? "named" : wrong.isEmpty() || !isTold ? "right" : wrong;
        } catch (CorruptionException | InvalidRequestException e) {
            return "named";
        }
    }

    private static List<Part> partsOf(SmallFiles entries, Forgery sound) {
        List<Part> parts = new ArrayList<>();
        int length = sound.bytes.length;
        int end = length - SealedFormat.FOOTER_BYTES;
        parts.add(new Part("header", FileHeader.BYTES, 60, true, file -> {}));
        parts.add(new Part("footer", end, end + FOOTER_FIELDS, true, file -> {}));
        parts.add(new Part("properties", (int) sound.parts.properties(), end, false, file -> {}));
        boolean isPoint = entries.isPoint();
        boolean isLines = entries.settings().layout() == Layout.LINES;
        int tableEnd = (int) sound.parts.fences();
        if (tableEnd > sound.parts.locator() && isLines) {
            parts.add(new Part("lines", (int) sound.parts.locator(), tableEnd, true, file -> {}));
        } else {
            int figures = tableEnd - PerfectEnd.BYTES;
            parts.add(new Part("slots", (int) sound.parts.locator(), figures - PERFECT_TABLE, true, file -> {}));
            parts.add(new Part("table", figures - PERFECT_TABLE, tableEnd - Integer.BYTES, true, file -> {
                int from = figures - PERFECT_TABLE;
                int bytes = tableEnd - Integer.BYTES - from;
                file.buffer()
                        .putInt(from + bytes, Checksum.seeded(file.identity.seed(), from, file.bytes, from, bytes));
            }));
        }
        parts.add(new Part("fences", tableEnd, (int) sound.parts.digests(), true, file -> {}));
        if (isPoint) {
            addSlots(parts, sound);
        } else if (entries.isInBlocks()) {
            addBlocks(parts, sound);
        } else {
            addRecords(parts, sound);
        }
        return parts;
    }

    private static void addSlots(List<Part> parts, Forgery sound) {
        PointFormat format = new PointFormat("key-00000".length(), VALUE_BYTES);
        for (int slot = 0; format.offsetOf(slot) < sound.parts.dataEnd(); slot++) {
            int at = (int) format.offsetOf(slot);
            parts.add(new Part("record", at, at + format.entryBytes(), false, file -> {
                int sum = Checksum.seeded(file.identity.seed(), at, file.bytes, at, format.entryBytes());
                file.buffer().putInt(at + format.entryBytes(), sum);
            }));
        }
    }

    private static void addBlocks(List<Part> parts, Forgery sound) {
        ByteBuffer bytes = sound.buffer();
        for (int fence = 0; fence < sound.parts.fenceCount(); fence++) {
            int at = (int) sound.parts.fences() + fence * Fence.BYTES;
            int from = (int) bytes.getLong(at + Long.BYTES);
            int to = fence + 1 < sound.parts.fenceCount()
                    ? (int) bytes.getLong(at + Fence.BYTES + Long.BYTES)
                    : (int) sound.parts.dataEnd();
            Seal seal = file -> file.buffer()
                    .putInt(from, Checksum.seeded(file.identity.seed(), from, file.bytes, from + 4, to - from - 4));
            parts.add(new Part("block head", from + 4, Math.min(to, from + 40), false, seal));
            parts.add(new Part("block", from + 4, to, false, seal));
        }
    }

    private static void addRecords(List<Part> parts, Forgery sound) {
        for (int at = SealedFormat.HEADER_BYTES; at < sound.parts.dataEnd(); ) {
            long head = RecordHead.read(sound.bytes, at, Integer.BYTES, (int) sound.parts.dataEnd());
            int from = at;
            Seal seal = file -> {
                long now = RecordHead.read(file.bytes, from, Integer.BYTES, (int) file.parts.dataEnd());
                long bytes = now == RecordHead.NONE ? 0 : RecordHead.recordBytes(now);
                if (bytes > Integer.BYTES && bytes <= file.parts.dataEnd() - from) {
                    int sum = Checksum.seeded(file.identity.seed(), from, file.bytes, from + 4, (int) bytes - 4);
                    file.buffer().putInt(from, sum);
                }
            };
            parts.add(new Part("record head", at + 4, at + RecordHead.bytes(head), true, seal));
            at += (int) RecordHead.recordBytes(head);
        }
    }

    /** Makes all checksums right: those within the data, digests, properties, footer and header. */
    private static void seal(Part part, Forgery forged) throws IOException {
        part.seal.of(forged);
        if (part.kind.equals("header")) {
            int checked = SealedFormat.HEADER_BYTES - Integer.BYTES;
            forged.buffer().putInt(checked, Checksum.of(forged.bytes, 0, checked));
        }
        int end = forged.bytes.length - SealedFormat.FOOTER_BYTES;
        byte[] footer = Arrays.copyOfRange(forged.bytes, end, forged.bytes.length);
        forged.sign();
        if (part.kind.equals("footer")) {
            System.arraycopy(footer, 0, forged.bytes, end, FOOTER_FIELDS);
            int sum = Checksum.seeded(
                    forged.identity.high(), forged.identity.low(), forged.bytes, end, FOOTER_FIELDS + Long.BYTES);
            forged.buffer().putInt(end + FOOTER_FIELDS + Long.BYTES, sum);
        }
    }
}
