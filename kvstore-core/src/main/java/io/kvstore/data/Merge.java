package io.kvstore.data;

import io.kvstore.error.InvalidRequestException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A change that is computed from the present value of its key, with no other write of the key in between. The log and the
 * engines get the result and never the merge, so opening a store computes nothing again. A result has at most
 * {@link #MAX_RESULT_BYTES}, because it may be computed while other writers wait.
 *
 * <p>Arrays are not copied.
 */
public sealed interface Merge extends Change {

    /** The largest result of a merge: 1 MiB, or the table's {@code MAX_VALUE_BYTES} if that is less. */
    int MAX_RESULT_BYTES = 1 << 20;

    /**
     * The value that the key gets.
     *
     * @param present the present value, or null if the key has none; it is not changed
     * @throws InvalidRequestException if there is no result for this value; the message has the reason and the remedy
     */
    byte[] on(byte @Nullable [] present);

    /**
     * Adds to a number. Numbers are decimal text in ASCII, from {@link Long#MIN_VALUE} to {@link Long#MAX_VALUE}, without
     * leading zeros, spaces or a plus sign. An absent key counts as 0.
     */
    record Add(byte[] key, long delta) implements Merge {

        private static final int MOST_DIGITS = 19;

        @Override
        public byte[] on(byte @Nullable [] present) {
            long number = present == null ? 0 : numberOf(present);
            long sum = number + delta;
            if (((number ^ sum) & (delta ^ sum)) < 0) {
                throw new InvalidRequestException("the number " + number + " of key " + KeyOrder.display(key) + " and "
                        + delta + " add up to more than 64 bits take; the result must lie between " + Long.MIN_VALUE
                        + " and " + Long.MAX_VALUE);
            }
            return Long.toString(sum).getBytes(StandardCharsets.US_ASCII);
        }

        /**
         * The number that a value of this key stands for.
         *
         * @throws InvalidRequestException if it is no number
         */
        public long numberOf(byte[] value) {
            boolean isNegative = value.length > 0 && value[0] == '-';
            int first = isNegative ? 1 : 0;
            int digits = value.length - first;
            if (digits < 1 || digits > MOST_DIGITS || (value[first] == '0' && value.length > 1)) {
                throw notANumber(value);
            }
            long number = 0; // below zero, where there is one number more
            for (int i = first; i < value.length; i++) {
                int digit = value[i] - '0';
                if (digit < 0 || digit > 9 || number < (Long.MIN_VALUE + digit) / 10) {
                    throw notANumber(value);
                }
                number = 10 * number - digit;
            }
            if (!isNegative && number == Long.MIN_VALUE) {
                throw notANumber(value);
            }
            return isNegative ? number : -number;
        }

        private InvalidRequestException notANumber(byte[] value) {
            return new InvalidRequestException("the value " + KeyOrder.display(value) + " of key "
                    + KeyOrder.display(key)
                    + " is no whole number of 64 bits in decimal digits, such as 42 or -7; put a"
                    + " number first, or remove the key, which then counts as 0");
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Add that && Arrays.equals(key, that.key) && delta == that.delta;
        }

        @Override
        public int hashCode() {
            return 31 * Arrays.hashCode(key) + Long.hashCode(delta);
        }

        @Override
        public String toString() {
            return "Add[" + KeyOrder.display(key) + ", " + delta + "]";
        }
    }

    /** Appends bytes to the value. An absent key counts as an empty value. This copies the value. */
    record Append(byte[] key, byte[] suffix) implements Merge {

        @Override
        public byte[] on(byte @Nullable [] present) {
            int length = present == null ? 0 : present.length;
            byte[] result = sized(this, present, (long) length + suffix.length);
            System.arraycopy(suffix, 0, result, length, suffix.length);
            return result;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Append that && Arrays.equals(key, that.key) && Arrays.equals(suffix, that.suffix);
        }

        @Override
        public int hashCode() {
            return 31 * Arrays.hashCode(key) + Arrays.hashCode(suffix);
        }

        @Override
        public String toString() {
            return "Append[" + KeyOrder.display(key) + ", " + suffix.length + " bytes]";
        }
    }

    /**
     * Overwrites a part of the value. The value grows if the part ends behind its end. An absent key counts as an empty value.
     * This copies the value.
     *
     * @param offset where the part begins, in bytes from the value's first byte; at most the value's length
     * @param bytes the new bytes of the part
     */
    record Patch(byte[] key, int offset, byte[] bytes) implements Merge {

        /** @throws InvalidRequestException if the offset is negative */
        public Patch {
            if (offset < 0) {
                throw new InvalidRequestException("the patch begins at " + offset + "; give 0 or more");
            }
        }

        @Override
        public byte[] on(byte @Nullable [] present) {
            int length = present == null ? 0 : present.length;
            if (offset > length) {
                throw new InvalidRequestException("the patch begins at " + offset
                        + ", behind the end of the value of key " + KeyOrder.display(key) + ", which has " + length
                        + " bytes; begin at " + length + " or before");
            }
            byte[] result = sized(this, present, Math.max(length, (long) offset + bytes.length));
            System.arraycopy(bytes, 0, result, offset, bytes.length);
            return result;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Patch that
                    && Arrays.equals(key, that.key)
                    && offset == that.offset
                    && Arrays.equals(bytes, that.bytes);
        }

        @Override
        public int hashCode() {
            return 31 * (31 * Arrays.hashCode(key) + offset) + Arrays.hashCode(bytes);
        }

        @Override
        public String toString() {
            return "Patch[" + KeyOrder.display(key) + ", " + bytes.length + " bytes at " + offset + "]";
        }
    }

    /** A copy of the present value with room for the result, if that is not too large. */
    private static byte[] sized(Merge merge, byte @Nullable [] present, long bytes) {
        if (bytes > MAX_RESULT_BYTES) {
            throw new InvalidRequestException("the value of key " + KeyOrder.display(merge.key()) + " would have "
                    + bytes + " bytes; merges make at most " + MAX_RESULT_BYTES
                    + "; get the value and replace it instead");
        }
        return present == null ? new byte[(int) bytes] : Arrays.copyOf(present, (int) bytes);
    }
}
