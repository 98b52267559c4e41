package io.kvstore.bench.store;

import java.io.IOException;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Does the work of one thread of a case, operation by operation, and checks the entries that it reads. */
public final class Worker implements AutoCloseable {

    /** The number of entries of one scan. */
    public static final int SCAN_ENTRIES = 100;

    private static final int HOT_PART = 5;

    private final Session session;
    private final Shape shape;
    private final long entries;
    private final SplittableRandom random;
    private final byte[] key;
    private final byte[] value;

    /**
     * @param entries the store has the entries with lower numbers
     * @param seed determines the entries that are picked
     */
    Worker(Session session, Shape shape, long entries, long seed) {
        this.session = session;
        this.shape = shape;
        this.entries = entries;
        this.random = new SplittableRandom(seed);
        this.key = new byte[shape.keyBytes()];
        this.value = new byte[shape.valueBytes()];
    }

    /** @param number the operation's number in its case; only puts and removes use it */
    void step(Case.Work work, long number) throws IOException {
        switch (work) {
            case PUT -> put(number);
            case PUT_IN_ORDER -> putInOrder(number);
            case OVERWRITE -> put(number % entries);
            case REMOVE -> remove(number + number / (Case.Work.KEPT_PART - 1) + 1);
            case GET -> get(below(entries));
            case HOT -> get(isOneOf(HOT_PART) ? below(entries) : below(Math.max(1, entries / HOT_PART)));
            case ABSENT -> getAbsent(entries + below(entries));
            case MIXED -> getOrPut(below(entries));
            case SCAN -> scan(below(entries));
            case GET_AND_PUT -> getAndPut(below(entries));
            case PUT_HOT -> put(below(Math.max(1, entries / HOT_PART)));
            case QUEUE -> turn(number);
        }
    }

    private void put(long number) throws IOException {
        shape.fillKey(number, key);
        shape.fillValue(number, value);
        session.put(key, value);
    }

    private void putInOrder(long number) throws IOException {
        shape.fillOrderedKey(number, key);
        shape.fillValue(number, value);
        session.put(key, value);
    }

    /** Removes an entry. Its number is never a multiple of {@link Case.Work#KEPT_PART}. */
    private void remove(long number) throws IOException {
        shape.fillKey(number, key);
        session.remove(key);
    }

    private void get(long number) throws IOException {
        shape.fillKey(number, key);
        byte[] found = session.get(key);
        if (found == null || !shape.fits(key, found)) {
            throw new IllegalStateException("entry " + number + (found == null ? " is missing" : " has a wrong value"));
        }
    }

    private void getAbsent(long number) throws IOException {
        shape.fillKey(number, key);
        if (session.get(key) != null) {
            throw new IllegalStateException("entry " + number + " is there and was never put");
        }
    }

    private void getOrPut(long number) throws IOException {
        if (isOneOf(2)) {
            put(number);
        } else {
            get(number);
        }
    }

    private void getAndPut(long number) throws IOException {
        get(number);
        put(number);
    }

    /** Puts an entry at the end of a queue that has {@link #entries} before, and takes the first one. */
    private void turn(long number) throws IOException {
        shape.fillOrderedKey(entries + number, key);
        shape.fillValue(entries + number, value);
        byte[] taken = session.turn(key, value);
        shape.fillOrderedKey(number, key);
        if (!Arrays.equals(taken, key)) {
            throw new IllegalStateException("entry " + number + " was not the first one of the queue");
        }
    }

    private void scan(long number) throws IOException {
        shape.fillKey(number, key);
        session.scan(key, SCAN_ENTRIES, this::check);
    }

    private void check(byte[] foundKey, byte[] foundValue) {
        if (!shape.fits(foundKey, foundValue)) {
            throw new IllegalStateException("a scan returned a wrong value");
        }
    }

    private boolean isOneOf(int count) {
        return below(count) == 0;
    }

    private long below(long bound) {
        return Math.unsignedMultiplyHigh(random.nextLong(), bound);
    }

    @Override
    public void close() throws IOException {
        session.close();
    }
}
