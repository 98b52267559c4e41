package io.kvstore.testkit;

import io.kvstore.io.Storage;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Writes down the operations of another storage, a line each: {@code write dir/file 0+512}, {@code sync dir/file},
 * {@code rename from to}. And fails a test that changes a file which was declared sealed.
 */
public final class RecordingStorage extends WatchedStorage {

    private static final Set<Operation> CHANGES_CONTENT =
            EnumSet.of(Operation.WRITE, Operation.TRUNCATE, Operation.MAP, Operation.FORCE);

    private final Set<Operation> recorded;
    private final List<String> trace = new ArrayList<>();
    private final Set<String> sealed = new HashSet<>();

    /** Records everything but opening, reading and listing. */
    public RecordingStorage(Storage inner) {
        this(inner, EnumSet.complementOf(EnumSet.of(Operation.OPEN, Operation.READ, Operation.LIST)));
    }

    /** @param recorded the operations to record */
    public RecordingStorage(Storage inner, Set<Operation> recorded) {
        super(inner);
        this.recorded = EnumSet.copyOf(recorded);
    }

    /** The lines so far. */
    public synchronized List<String> trace() {
        return List.copyOf(trace);
    }

    /** Forgets the lines so far. */
    public synchronized void clear() {
        trace.clear();
    }

    /** Adds a line of the test's own, such as an acknowledgement. */
    public synchronized void note(String line) {
        trace.add(line);
    }

    /** Fails every later change of the content of this file. */
    public synchronized void seal(String path) {
        sealed.add(path);
    }

    /** The number of the first line that begins so, at or after line {@code from}; fails if there is none. */
    public synchronized int lineOf(String prefix, int from) {
        for (int line = from; line < trace.size(); line++) {
            if (trace.get(line).startsWith(prefix)) {
                return line;
            }
        }
        throw new AssertionError("no line begins with \"" + prefix + "\" from line " + from + " on: " + trace);
    }

    @Override
    synchronized void before(Access access) {
        if (sealed.contains(access.path()) && CHANGES_CONTENT.contains(access.operation())) {
            throw new AssertionError(access.path() + " is sealed: " + access);
        }
        if (recorded.contains(access.operation())) {
            trace.add((name(access.operation()) + " " + access.path() + " " + access.detail()).strip());
        }
    }

    private static String name(Operation operation) {
        return operation.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
