package io.kvstore.sealed.build;

import io.kvstore.bytes.Slice;
import io.kvstore.data.KeyOrder;
import io.kvstore.engine.BlockCodec;
import io.kvstore.engine.BlockCodecs;
import io.kvstore.engine.Progress;
import io.kvstore.engine.TableFileInfo;
import io.kvstore.engine.TableFileSettings;
import io.kvstore.engine.TableFileSettings.Layout;
import io.kvstore.engine.TableFileSettings.Order;
import io.kvstore.engine.TableFileWriter;
import io.kvstore.error.Closing;
import io.kvstore.error.DiskFullException;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.io.NoSpaceException;
import io.kvstore.io.Storage;
import io.kvstore.sealed.format.FileIdentity;
import io.kvstore.sealed.format.RecordHead;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Writes a sealed file. As long as keys ascend, the file is written at once. The first key that does not ascend makes a sorted
 * run of what was written, and from then on entries are sorted.
 */
public final class SealedFileWriter implements TableFileWriter {

    /** With the slots that are left free they have numbers of 4 bytes. */
    private static final long MOST_POINTS = 4_000_000_000L;

    private final BuildFiles files;
    private final TableFileSettings settings;
    private final Identities identities;
    private final @Nullable BlockCodec codec;
    private final SortedBuild direct;
    private final EqualLengths lengths = new EqualLengths(MOST_POINTS);
    private @Nullable RunSorter sorter;
    private long entries;
    private boolean isBroken;

    private SealedFileWriter(BuildFiles files, TableFileSettings settings, Identities identities) throws IOException {
        this.files = files;
        this.settings = settings;
        this.identities = identities;
        this.codec = BlockCodecs.named(settings.codec());
        this.direct = newBuild("direct");
    }

    private SortedBuild newBuild(String purpose) throws IOException {
        FileIdentity identity = identities.of(settings.layout(), codec == null ? 0 : codec.id());
        return new SortedBuild(files, purpose, identity, settings, codec);
    }

    /**
     * Begins a file.
     *
     * @throws InvalidRequestException if the codec is not on the class path
     */
    public static SealedFileWriter create(Storage storage, String path, TableFileSettings settings) throws IOException {
        return create(storage, path, settings, FileIdentity::random);
    }

    /** Makes the identity of a file. */
    @FunctionalInterface
    interface Identities {
        FileIdentity of(Layout layout, int codec);
    }

    /** @param identities makes the identity of each file that is begun */
    static SealedFileWriter create(Storage storage, String path, TableFileSettings settings, Identities identities)
            throws IOException {
        try {
            BuildFiles files = BuildFiles.begin(storage, path);
            try {
                return new SealedFileWriter(files, settings, identities);
            } catch (Throwable e) {
                Closing.giveUp(files, SealedFileWriter.class, path);
                throw e;
            }
        } catch (NoSpaceException e) {
            throw diskFull(path, 0, e);
        }
    }

    @Override
    public void put(byte[] key, byte[] value) throws IOException {
        requireUsable();
        requireLengths(key, value);
        if (settings.layout() == Layout.POINT) {
            lengths.require(key, value, entries);
        }
        isBroken = true;
        try {
            add(key, value);
        } catch (NoSpaceException e) {
            throw diskFull(files.path(), entries, e);
        }
        entries++;
        isBroken = false;
    }

    private void requireUsable() {
        if (isBroken) {
            throw new InvalidRequestException(
                    "the build of " + files.path() + " has ended or failed before; begin another one");
        }
    }

    private static DiskFullException diskFull(String path, long entries, NoSpaceException cause) {
        return new DiskFullException(
                "building " + path + " found the disk full after " + entries + " entries, and nothing was"
                        + " replaced; free some space: a build takes the bytes of the entries and 16 for each, and"
                        + " twice as many if they are to be sorted",
                cause);
    }

    private static void requireLengths(byte[] key, byte[] value) {
        if (key.length > KeyOrder.MAX_KEY_BYTES) {
            throw new InvalidRequestException("the key " + KeyOrder.display(key) + " has " + key.length
                    + " bytes; a key has at most " + KeyOrder.MAX_KEY_BYTES);
        }
        if (value.length > RecordHead.MOST_VALUE_BYTES) {
            throw new InvalidRequestException("the value of key " + KeyOrder.display(key) + " has " + value.length
                    + " bytes; a value has at most " + RecordHead.MOST_VALUE_BYTES);
        }
    }

    private void add(byte[] key, byte[] value) throws IOException {
        RunSorter present = sorter;
        if (present != null) {
            present.add(key, value);
        } else if (direct.isNext(key)) {
            direct.put(key, Slice.of(value));
        } else {
            requireAnyOrder(key);
            RunSorter begun = new RunSorter(files, settings.duplicates(), settings.sortMemoryBytes());
            direct.handTo(begun);
            sorter = begun;
            begun.add(key, value);
        }
    }

    private void requireAnyOrder(byte[] key) {
        if (settings.order() == Order.ASCENDING) {
            boolean isSame = KeyOrder.compare(key, direct.lastKey()) == 0;
            throw new InvalidRequestException("entry " + entries + " has the key " + KeyOrder.display(key)
                    + (isSame ? ", which was given before" : ", which is below " + KeyOrder.display(direct.lastKey()))
                    + "; keys must ascend, or the order must be ANY");
        }
    }

    @Override
    public long entries() {
        return entries;
    }

    @Override
    public TableFileInfo finish(Progress progress) throws IOException {
        requireUsable();
        isBroken = true;
        try {
            SortedBuild last = direct;
            RunSorter present = sorter;
            if (present != null) {
                last = newBuild("merged");
                present.mergeTo(last, progress);
            }
            RunSorter.tell(progress, entries, entries);
            return last.finish();
        } catch (NoSpaceException e) {
            throw diskFull(files.path(), entries, e);
        }
    }

    @Override
    public void close() throws IOException {
        isBroken = true;
        files.close();
    }
}
