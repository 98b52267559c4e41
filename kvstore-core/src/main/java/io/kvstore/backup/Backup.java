package io.kvstore.backup;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import io.kvstore.bytes.FileHeader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * One backup, as its manifest has it. {@code docs/backup-format.md} has a drawing.
 *
 * @param id counts the backups of a repository
 * @param lsn the store has every logged operation up to it, and nothing of a later one
 * @param wallMillis the time by the clock on the wall, milliseconds since 1970
 * @param writtenBytes bytes of packs that were written for this backup
 * @param packs the lengths of the packs that have its parts, by number
 * @param directories of the store, each behind the one that it is in
 */
public record Backup(
        long id,
        long storeIdHigh,
        long storeIdLow,
        long lsn,
        long wallMillis,
        long writtenBytes,
        Map<Long, Long> packs,
        List<String> directories,
        List<StoredFile> files) {

    static final FileHeader HEADER = new FileHeader("KVBACKUP", "manifest of a backup", 1);

    /** Enough for some 20 TiB. */
    static final int MAX_BYTES = 1 << 30;

    /** Bytes of all files of the store. */
    public long storeBytes() {
        return files.stream().mapToLong(StoredFile::bytes).sum();
    }

    /** The part of this backup that has the paths. */
    public Backup only(Predicate<String> isWanted) {
        return new Backup(
                id,
                storeIdHigh,
                storeIdLow,
                lsn,
                wallMillis,
                writtenBytes,
                packs,
                directories.stream().filter(isWanted).toList(),
                files.stream().filter(file -> isWanted.test(file.path())).toList());
    }

    byte[] toBytes() {
        ByteWriter out = new ByteWriter(1 << 12);
        HEADER.write(out, 0);
        out.u64(id).u64(storeIdHigh).u64(storeIdLow).u64(lsn).u64(wallMillis).u64(writtenBytes);
        out.varint(packs.size());
        packs.forEach((number, bytes) -> out.varint(number).varint(bytes));
        out.varint(directories.size());
        directories.forEach(out::text);
        out.varint(files.size());
        for (StoredFile file : files) {
            out.text(file.path()).varint(file.bytes()).varint(file.parts().size());
            for (StoredFile.Part part : file.parts()) {
                part.hash().write(out);
                out.varint(part.bytes()).varint(part.pack()).varint(part.offset());
            }
        }
        return out.checksumFrom(0).toArray();
    }

    static Backup read(String path, byte[] bytes) {
        ByteReader whole = new ByteReader(path, bytes);
        if (bytes.length < FileHeader.BYTES + Integer.BYTES) {
            throw whole.corrupt("the manifest has only " + bytes.length + " bytes");
        }
        int flags = HEADER.read(whole, path).flags();
        whole.skip(whole.remaining() - Integer.BYTES);
        whole.checksumFrom(0);
        if (flags != 0) {
            throw whole.corrupt("flags " + flags + " are not known");
        }
        ByteReader in = new ByteReader(path, 0, bytes, 0, bytes.length - Integer.BYTES);
        in.skip(FileHeader.BYTES);
        return readFields(in);
    }

    private static Backup readFields(ByteReader in) {
        long id = in.u64();
        long high = in.u64();
        long low = in.u64();
        long lsn = in.u64();
        long wallMillis = in.u64();
        long written = in.u64();
        Map<Long, Long> packs = new TreeMap<>();
        for (int count = in.count(); count > 0; count--) {
            readPack(in, packs);
        }
        List<String> directories = new ArrayList<>();
        for (int count = in.count(); count > 0; count--) {
            directories.add(readPath(in));
        }
        List<StoredFile> files = new ArrayList<>();
        for (int count = in.count(); count > 0; count--) {
            files.add(readFile(in, packs));
        }
        in.end();
        requireApart(in, directories, files);
        return new Backup(id, high, low, lsn, wallMillis, written, packs, directories, files);
    }

    private static void readPack(ByteReader in, Map<Long, Long> packs) {
        long number = in.varint();
        long bytes = in.varint();
        if (number < 0 || bytes < 0) {
            throw in.corrupt("there is no pack " + number + " of " + bytes + " bytes");
        }
        packs.put(number, bytes);
    }

    /** A path below the directory of the store. */
    private static String readPath(ByteReader in) {
        String path = in.text();
        for (String part : path.split("/", -1)) {
            boolean isName = !part.isEmpty() && !part.equals(".") && !part.equals("..");
            if (!isName || part.indexOf('\\') >= 0 || part.indexOf('\0') >= 0) {
                throw in.corrupt("a store has no file or directory \"" + path + "\"");
            }
        }
        return path;
    }

    private static StoredFile readFile(ByteReader in, Map<Long, Long> packs) {
        String path = readPath(in);
        long bytes = in.varint();
        List<StoredFile.Part> parts = new ArrayList<>();
        long sum = 0;
        for (int count = in.count(); count > 0; count--) {
            PartHash hash = PartHash.read(in);
            long length = in.varint();
            long pack = in.varint();
            long offset = in.varint();
            long room = packs.getOrDefault(pack, 0L) - Pack.PART_HEAD_BYTES - length;
            if (length < 1 || length > StoredFile.PART_BYTES || offset < 0 || offset > room) {
                throw in.corrupt("a part of " + path + " cannot be where it is said to be");
            }
            sum += length;
            parts.add(new StoredFile.Part(hash, (int) length, pack, offset));
        }
        if (sum != bytes) {
            throw in.corrupt("the parts of " + path + " have " + sum + " bytes, and the file has " + bytes);
        }
        return new StoredFile(path, bytes, parts);
    }

    private static void requireApart(ByteReader in, List<String> directories, List<StoredFile> files) {
        Set<String> paths = new HashSet<>(directories);
        for (StoredFile file : files) {
            if (!paths.add(file.path())) {
                throw in.corrupt(file.path() + " is listed twice");
            }
        }
    }

    ByteBuffer toBuffer() {
        return ByteBuffer.wrap(toBytes());
    }
}
