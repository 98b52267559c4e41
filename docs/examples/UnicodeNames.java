import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Writes every named Unicode character to a file, as a line of JSON: the name as the key, the code point as the value. */
public final class UnicodeNames {

    private UnicodeNames() {}

    public static void main(String[] arguments) throws IOException {
        List<String> lines = new ArrayList<>();
        for (int point = 0; point <= Character.MAX_CODE_POINT; point++) {
            String name = Character.getName(point);
            if (name != null && isGivenName(name, point)) {
                lines.add(String.format(Locale.ROOT, "{\"key\":\"%s\",\"value\":\"U+%04X\"}", name, point));
            }
        }
        Files.write(Path.of(arguments[0]), lines);
    }

    /** Java makes up names for characters without one: the block and the number. Control characters have only aliases. */
    private static boolean isGivenName(String name, int point) {
        return !Character.isISOControl(point)
                && !name.endsWith(" " + Integer.toHexString(point).toUpperCase(Locale.ROOT));
    }
}
