package io.kvstore.sealed.perfect;

import io.kvstore.error.InvalidRequestException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Finds pilots that lead the keys of a part to different slots. Buckets with many keys come first. A bucket for which no
 * pilot is free takes the one whose slots are the cheapest, and the buckets that had them are placed again. A part for which
 * this does not end is tried again with another seed, and with more slots if that has not helped either. For one part after
 * the other; the memory is that of the largest part.
 */
public final class PartPlacing {

    /** No slot: the hash of the key is that of another. */
    public static final int EXTRA = -1;

    /** A part is tried with so many seeds. */
    public static final int MOST_SEEDS = 64;

    /** From this seed on there are more slots. */
    private static final int MORE_SLOTS_FROM = 4;

    /** Keys for each bucket. Three would save a bit a key, and take more than twice as long. */
    private static final int KEYS = 2;

    /** Of so many slots one is left free. */
    private static final int FREE_OF = 100;

    /** So many buckets are not moved as soon as they are placed, because two would take turns. */
    private static final int RECENT = 16;

    /** Equal numbers are looked for in pairs up to this size of a bucket. */
    private static final int FEW = 16;

    private static final int[] NONE = {};

    private final int firstSeed;
    private final int mostSeeds;

    private int seed;
    private int count;

    /** How many keys have slots. */
    private int placed;

    private int slots;
    private int buckets;

    /** Numbers and items of keys, by bucket, and the slots of items. */
    private long[] mixed = {};

    private int[] items = {};
    private int[] slotOf = {};

    /** Where each bucket begins, and where the keys end that it places; behind them are extras. */
    private int[] starts = {};

    private int[] ends = {};
    private byte[] pilots = {};

    /** Buckets, those with many keys first. */
    private int[] bySize = {};

    /** One bit for each slot that is taken, and its bucket. */
    private long[] taken = {};

    private int[] owners = {};

    private int[] found = new int[FEW];
    private int[] waiting = new int[FEW];
    private int waits;
    private final int[] recent = new int[RECENT];
    private int recentAt;
    private long evictionsLeft;

    public PartPlacing() {
        this(0, MOST_SEEDS);
    }

    /**
     * Tries other seeds.
     *
     * @param firstSeed with which each part is tried first
     * @param mostSeeds behind the last one
     */
    PartPlacing(int firstSeed, int mostSeeds) {
        this.firstSeed = firstSeed;
        this.mostSeeds = mostSeeds;
    }

    /**
     * Finds slots for the first {@code keys} of some hashes.
     *
     * @throws InvalidRequestException if there are none with any seed
     */
    public void place(long[] hashes, int keys) {
        count = keys;
        makeRoom();
        for (seed = firstSeed; seed < mostSeeds; seed++) {
            placed = divide(hashes);
            slots = placed + placed / (FREE_OF - 1) + (seed < MORE_SLOTS_FROM ? 0 : placed / 64 * (seed - 2) + 1);
            if (placeAll()) {
                noteSlots();
                return;
            }
        }
        throw new InvalidRequestException("a perfect hash of " + count + " keys was not found with " + mostSeeds
                + " seeds; build the file again, which takes another hash of keys, or with the layout LINES");
    }

    private void makeRoom() {
        buckets = count == 0 ? 0 : count / KEYS + 1;
        if (mixed.length < count) {
            mixed = new long[count];
            items = new int[count];
            slotOf = new int[count];
        }
        if (bySize.length < buckets) {
            starts = new int[buckets + 1];
            ends = new int[buckets];
            pilots = new byte[buckets];
            bySize = new int[buckets];
        }
    }

    /** Divides the keys into buckets. Returns how many have hashes of their own. */
    private int divide(long[] hashes) {
        Arrays.fill(starts, 0);
        for (int item = 0; item < count; item++) {
            starts[PartHash.bucket(PartHash.mixed(hashes[item], seed), buckets)]++;
        }
        int end = 0;
        for (int bucket = 0; bucket < buckets; bucket++) {
            end += starts[bucket];
            starts[bucket] = end;
            ends[bucket] = end;
        }
        for (int item = count - 1; item >= 0; item--) {
            long number = PartHash.mixed(hashes[item], seed);
            int at = --starts[PartHash.bucket(number, buckets)];
            mixed[at] = number;
            items[at] = item;
        }
        int unique = 0;
        for (int bucket = 0; bucket < buckets; bucket++) {
            separate(bucket);
            unique += ends[bucket] - starts[bucket];
        }
        return unique;
    }

    /** Brings keys whose hash is that of one before them to the end of a bucket. */
    private void separate(int bucket) {
        int start = starts[bucket];
        int end = ends[bucket];
        Set<Long> seen = end - start > FEW ? new HashSet<>() : Set.of();
        int at = start + 1;
        if (end - start > FEW) {
            seen.add(mixed[start]);
        }
        while (at < end) {
            if (end - start > FEW ? seen.add(mixed[at]) : isNew(start, at)) {
                at++;
            } else {
                end--;
                swap(at, end);
            }
        }
        ends[bucket] = end;
    }

    private boolean isNew(int start, int at) {
        for (int before = start; before < at; before++) {
            if (mixed[before] == mixed[at]) {
                return false;
            }
        }
        return true;
    }

    private void swap(int one, int other) {
        long number = mixed[one];
        mixed[one] = mixed[other];
        mixed[other] = number;
        int item = items[one];
        items[one] = items[other];
        items[other] = item;
    }

    private boolean placeAll() {
        if (owners.length < slots) {
            owners = new int[slots];
        }
        if (taken.length <= slots >>> 6) {
            taken = new long[(slots >>> 6) + 1];
        }
        Arrays.fill(taken, 0, (slots >>> 6) + 1, 0);
        Arrays.fill(pilots, 0, buckets, (byte) 0);
        Arrays.fill(recent, -1);
        int largest = sortBySize();
        if (found.length < largest) {
            found = new int[largest];
        }
        evictionsLeft = 64L + 4L * count;
        for (int i = 0; i < buckets; i++) {
            int bucket = bySize[i];
            if (starts[bucket] == ends[bucket]) {
                break;
            }
            int pilot = freePilot(bucket);
            if (pilot >= 0) {
                take(bucket, pilot);
            } else if (!placeByEvicting(bucket)) {
                return false;
            }
        }
        return true;
    }

    /** Returns the size of the largest bucket. */
    private int sortBySize() {
        int largest = 0;
        for (int bucket = 0; bucket < buckets; bucket++) {
            largest = Math.max(largest, ends[bucket] - starts[bucket]);
        }
        int[] places = new int[largest + 2];
        for (int bucket = 0; bucket < buckets; bucket++) {
            places[largest - (ends[bucket] - starts[bucket]) + 1]++;
        }
        for (int i = 1; i < places.length; i++) {
            places[i] += places[i - 1];
        }
        for (int bucket = 0; bucket < buckets; bucket++) {
            bySize[places[largest - (ends[bucket] - starts[bucket])]++] = bucket;
        }
        return largest;
    }

    /** The first pilot that leads to slots which are free; -1 if there is none. Its slots are in {@code found}. */
    private int freePilot(int bucket) {
        int start = starts[bucket];
        int size = ends[bucket] - start;
        for (int pilot = 0; pilot < PartHash.PILOTS; pilot++) {
            int at = 0;
            for (; at < size; at++) {
                int slot = PartHash.slot(mixed[start + at], pilot, slots);
                if ((taken[slot >>> 6] & (1L << slot)) != 0) {
                    break;
                }
                found[at] = slot;
            }
            if (at == size && areDifferent(size)) {
                return pilot;
            }
        }
        return -1;
    }

    private boolean areDifferent(int size) {
        for (int one = 1; one < size; one++) {
            for (int other = 0; other < one; other++) {
                if (found[one] == found[other]) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Takes the slots in {@code found}. */
    private void take(int bucket, int pilot) {
        pilots[bucket] = (byte) pilot;
        for (int at = 0; at < ends[bucket] - starts[bucket]; at++) {
            int slot = found[at];
            taken[slot >>> 6] |= 1L << slot;
            owners[slot] = bucket;
        }
    }

    private boolean placeByEvicting(int first) {
        waits = 0;
        push(first);
        while (waits > 0) {
            int bucket = waiting[--waits];
            int pilot = freePilot(bucket);
            if (pilot < 0) {
                pilot = cheapestPilot(bucket);
                if (pilot < 0 || evictionsLeft-- <= 0) {
                    return false;
                }
                find(bucket, pilot);
                for (int at = 0; at < ends[bucket] - starts[bucket]; at++) {
                    if ((taken[found[at] >>> 6] & (1L << found[at])) != 0) {
                        evict(owners[found[at]]);
                    }
                }
            }
            take(bucket, pilot);
            recent[recentAt++ % RECENT] = bucket;
        }
        return true;
    }

    private void push(int bucket) {
        if (waits == waiting.length) {
            waiting = Arrays.copyOf(waiting, 2 * waits);
        }
        waiting[waits++] = bucket;
    }

    private void find(int bucket, int pilot) {
        int start = starts[bucket];
        for (int at = 0; at < ends[bucket] - start; at++) {
            found[at] = PartHash.slot(mixed[start + at], pilot, slots);
        }
    }

    /** The pilot whose slots belong to the fewest keys, and to no bucket that was placed just now; -1 if there is none. */
    private int cheapestPilot(int bucket) {
        int size = ends[bucket] - starts[bucket];
        int first = (int) evictionsLeft * 31;
        int best = -1;
        int leastCost = Integer.MAX_VALUE;
        for (int i = 0; i < PartHash.PILOTS && leastCost > 1; i++) {
            int pilot = (first + i) & (PartHash.PILOTS - 1);
            find(bucket, pilot);
            int cost = cost(size);
            if (cost < leastCost && areDifferent(size)) {
                best = pilot;
                leastCost = cost;
            }
        }
        return best;
    }

    private int cost(int size) {
        int cost = 0;
        for (int at = 0; at < size; at++) {
            int slot = found[at];
            if ((taken[slot >>> 6] & (1L << slot)) != 0) {
                int owner = owners[slot];
                for (int bucket : recent) {
                    if (bucket == owner) {
                        return Integer.MAX_VALUE;
                    }
                }
                int keys = ends[owner] - starts[owner];
                cost += keys * keys;
            }
        }
        return cost;
    }

    /** Gives back the slots of a bucket, which waits from now on. */
    private void evict(int bucket) {
        int start = starts[bucket];
        int pilot = Byte.toUnsignedInt(pilots[bucket]);
        for (int at = start; at < ends[bucket]; at++) {
            int slot = PartHash.slot(mixed[at], pilot, slots);
            taken[slot >>> 6] &= ~(1L << slot);
        }
        push(bucket);
    }

    private void noteSlots() {
        Arrays.fill(slotOf, 0, count, EXTRA);
        for (int bucket = 0; bucket < buckets; bucket++) {
            int pilot = Byte.toUnsignedInt(pilots[bucket]);
            for (int at = starts[bucket]; at < ends[bucket]; at++) {
                slotOf[items[at]] = PartHash.slot(mixed[at], pilot, slots);
            }
        }
    }

    /** The slot of a key of the part, or {@link #EXTRA}. */
    public int slotOf(int item) {
        return slotOf[item];
    }

    /** The keys that have no slot, in the order of their hashes, of which those are given that were placed. */
    public int[] extras(long[] hashes) {
        if (placed == count) {
            return NONE;
        }
        return IntStream.range(0, count)
                .filter(item -> slotOf[item] == EXTRA)
                .boxed()
                .sorted(Comparator.comparing(item -> hashes[item], Long::compareUnsigned))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    /** How many slots the part has. */
    public int slots() {
        return slots;
    }

    /** How many buckets the part has. */
    public int buckets() {
        return buckets;
    }

    /** The pilot of a bucket of the part. */
    public int pilot(int bucket) {
        return Byte.toUnsignedInt(pilots[bucket]);
    }

    /** The seed of the part. */
    public int seed() {
        return seed;
    }
}
