package io.kvstore.cli.console;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A number of bytes, such as {@code 4K} or {@code 256M}.
 *
 * @param bytes the number
 */
public record ByteSize(long bytes) {

    private static final Pattern FORM = Pattern.compile("([0-9]{1,12})([KMG]?)");

    /** The size as an option gives it, such as {@code 64M}. */
    @Override
    public String toString() {
        int units = Math.min(Long.numberOfTrailingZeros(bytes) / 10, 3);
        return bytes == 0 || units == 0
                ? Long.toString(bytes)
                : (bytes >> (10 * units)) + "KMG".substring(units - 1, units);
    }

    /** Reads what an option gives. */
    public static final class Converter implements ITypeConverter<ByteSize> {
        @Override
        public ByteSize convert(String given) {
            Matcher size = FORM.matcher(given.toUpperCase(Locale.ROOT));
            if (!size.matches()) {
                throw new TypeConversionException("'" + given + "' is no size; give bytes, or a number with K, M or G");
            }
            int shift = size.group(2).isEmpty() ? 0 : 10 * (1 + "KMG".indexOf(size.group(2)));
            long number = Long.parseLong(size.group(1));
            if (number > Long.MAX_VALUE >> shift) {
                throw new TypeConversionException(
                        "'" + given + "' is more than there can be; give at most 8589934591G");
            }
            return new ByteSize(number << shift);
        }
    }
}
