package io.kvstore.testkit;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.ByteArrayOutputStream;
import java.io.FileReader;
import java.io.FileWriter;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.text.BreakIterator;
import java.text.Collator;
import java.text.DateFormat;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.text.MessageFormat;
import java.text.NumberFormat;
import java.text.SimpleDateFormat;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.Calendar;
import java.util.Date;
import java.util.Formatter;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ResourceBundle;
import java.util.Scanner;
import java.util.Set;
import java.util.TimeZone;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds calls whose result depends on the default locale, charset or time zone, or on system properties that say so. A call
 * that is given a locale, a charset, a zone or a clock is none of them.
 */
final class AskTheEnvironment extends ArchCondition<JavaClass> {

    private static final String NEW = "<init>";

    /** Where one of these is given, the default is not asked. */
    private static final Set<String> ANSWERS = Stream.of(
                    Locale.class,
                    Charset.class,
                    CharsetDecoder.class,
                    ZoneId.class,
                    TimeZone.class,
                    Clock.class,
                    DecimalFormatSymbols.class)
            .map(Class::getName)
            .collect(Collectors.toUnmodifiableSet());

    private static final Map<Class<?>, Predicate<String>> ASKING = Map.ofEntries(
            named(String.class, "format", "formatted", "toLowerCase", "toUpperCase", "getBytes"),
            named(Formatter.class, NEW),
            named(PrintStream.class, "printf", "format", NEW),
            named(PrintWriter.class, "printf", "format", NEW),
            named(MessageFormat.class, "format", NEW),
            Map.entry(NumberFormat.class, name -> name.endsWith("Instance")),
            named(DecimalFormat.class, NEW),
            named(DecimalFormatSymbols.class, "getInstance", NEW),
            Map.entry(DateFormat.class, name -> name.endsWith("Instance")),
            named(SimpleDateFormat.class, NEW),
            Map.entry(DateTimeFormatter.class, name -> name.equals("ofPattern") || name.startsWith("ofLocalized")),
            named(DateTimeFormatterBuilder.class, "toFormatter"),
            named(Collator.class, "getInstance"),
            Map.entry(BreakIterator.class, name -> name.endsWith("Instance")),
            named(ResourceBundle.class, "getBundle"),
            named(Scanner.class, NEW),
            named(Locale.class, "getDefault", "setDefault"),
            named(InputStreamReader.class, NEW),
            named(OutputStreamWriter.class, NEW),
            named(FileReader.class, NEW),
            named(FileWriter.class, NEW),
            named(ByteArrayOutputStream.class, "toString"),
            named(Charset.class, "defaultCharset"),
            named(Process.class, "inputReader", "errorReader", "outputWriter"),
            named(ZoneId.class, "systemDefault"),
            named(TimeZone.class, "getDefault", "setDefault"),
            named(Clock.class, "systemDefaultZone"),
            named(Calendar.class, "getInstance"),
            named(GregorianCalendar.class, NEW),
            named(Date.class, "toString", "toLocaleString", "getHours", "getTimezoneOffset"));

    AskTheEnvironment() {
        super("ask for the default locale, charset or time zone");
    }

    private static Map.Entry<Class<?>, Predicate<String>> named(Class<?> owner, String... names) {
        return Map.entry(owner, List.of(names)::contains);
    }

    @Override
    public void check(JavaClass type, ConditionEvents events) {
        for (JavaAccess<?> access : type.getAccessesFromSelf()) {
            if (access instanceof JavaCodeUnitAccess<?> call && asks(call)) {
                events.add(SimpleConditionEvent.satisfied(type, call.getDescription()));
            }
        }
    }

    private static boolean asks(JavaCodeUnitAccess<?> call) {
        List<String> given = call.getTarget().getRawParameterTypes().stream()
                .map(JavaClass::getName)
                .toList();
        if (given.stream().anyMatch(ANSWERS::contains)) {
            return false;
        }
        JavaClass owner = call.getTargetOwner();
        String name = call.getName();
        if (name.equals(NEW) && owner.isEquivalentTo(String.class)) {
            return given.contains(byte[].class.getName());
        }
        if (name.equals(NEW) && owner.isEquivalentTo(PrintWriter.class)) {
            return !given.contains(Writer.class.getName());
        }
        if (name.equals("now") && owner.getPackageName().equals("java.time")) {
            return !owner.isEquivalentTo(Instant.class);
        }
        return ASKING.entrySet().stream()
                .anyMatch(asking -> owner.isEquivalentTo(asking.getKey())
                        && asking.getValue().test(name));
    }
}
