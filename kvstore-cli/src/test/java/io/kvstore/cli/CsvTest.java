package io.kvstore.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvstore.cli.console.ExitStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Builds from CSV, and what is refused. */
final class CsvTest {

    @TempDir
    private Path temp;

    private String build(byte[] csv, String... options) throws Exception {
        Path input = Files.write(temp.resolve("rows.csv"), csv);
        String out = temp.resolve("out.sealed").toString();
        String[] arguments = new String[options.length + 4];
        System.arraycopy(options, 0, arguments, 4, options.length);
        arguments[0] = "build";
        arguments[1] = "--quiet";
        arguments[2] = out;
        arguments[3] = input.toString();
        CommandRun run = CommandRun.of(arguments);
        return run.status() == 0
                ? CommandRun.of("file", "export", out).good().replaceFirst("\\{\"end\".*\n$", "")
                : run.failed(ExitStatus.ERROR);
    }

    private String build(String csv, String... options) throws Exception {
        return build(csv.getBytes(UTF_8), options);
    }

    private static final String A = "{\"key\":\"a\",\"value\":\"1\"}\n";

    @Test
    void columns_are_found_by_name() throws Exception {
        assertEquals(A, build("key,value\na,1\n"));
        assertEquals(A, build("x,value,key\n9,1,a\n"));
        assertEquals(A, build("key_hex,value_b64\n61,MQ\n"));
        assertEquals(A, build("id,n\n61,1\n", "--key=id", "--value=n", "--key-encoding=hex"));
    }

    @Test
    void line_ends_and_marks_of_other_systems_are_taken() throws Exception {
        assertEquals(A, build("key,value\r\na,1\r\n"));
        assertEquals(A, build("\uFEFFkey,value\ra,1"));
        assertEquals(A, build("\n\nkey,value\n\na,1\n\n\n"));
    }

    @Test
    void quotes_hold_commas_lines_and_quotes() throws Exception {
        String rows = build("key,value\n\"a,b\",\"say \"\"no\"\"\"\n\"x\ny\",\"\"\n\"q\r\nr\", s \n");
        assertEquals("""
                {"key":"a,b","value":"say \\"no\\""}
                {"key":"q\\r\\nr","value":" s "}
                {"key":"x\\ny","value":""}
                """, rows);
    }

    /** Blanks are a part of a field, as RFC 4180 has it. */
    @Test
    void blanks_stay() throws Exception {
        assertEquals("{\"key\":\"  a \",\"value\":\" \"}\n", build("key,value\n  a , \n"));
        assertEquals("{\"key\":\" \",\"value\":\"\"}\n", build("key,value\n ,\n"));
        assertEquals(A, build(" \n\t\nkey,value\n \t \n   \na,1\n  \n "));
        assertTrue(build(" key,value\n").contains("line 1: the header has no column key, "));
    }

    @Test
    void a_header_alone_is_an_empty_table() throws Exception {
        assertEquals("", build("key,value\n"));
        assertEquals("{\"key\":\"\",\"value\":\"\"}\n", build("key,value\n,\n"));
    }

    @Test
    void a_bad_row_is_named() throws Exception {
        assertTrue(build("").contains("line 1: there is no header"));
        assertTrue(build("\n\n").contains("there is no header"));
        assertTrue(build("k,value\n").contains("line 1: the header has no column key, key_hex, key_b64"));
        assertTrue(build("key,v\n").contains("the header has no column value, value_hex, value_b64"));
        assertTrue(build("key,key_hex,value\n").contains("the header has 2 of the columns key, "));
        assertTrue(build("key,value\na,1\nb\n").contains("line 3: the row has 1 fields, and the header 2"));
        assertTrue(build("key,value\na,\"1\n2\"\nb,1,2\n").contains("line 4: the row has 3 fields"));
        assertTrue(build("key,value\na,1\n\nb,\"1\nc,2\n").contains("line 4: Missing closing quote"));
        assertTrue(build("key,value\na,\"1\"2\n").contains("line 2: Unexpected character"));
        assertTrue(build("key_hex,value\n61,1\n6,2\n").contains("line 3: key_hex is not hexadecimal"));
        assertTrue(build("key,value_b64\na,a\n").contains("line 2: value_b64 is not base64"));
    }

    @Test
    void a_row_that_is_not_utf8_is_named() throws Exception {
        byte[] csv = ("key,value\n" + "a,1\n".repeat(50_000) + "b,?\n").getBytes(UTF_8);
        csv[csv.length - 2] = (byte) 0xFF;
        String line = build(csv);
        assertTrue(line.contains("line 50002: the line is not valid UTF-8"), line);
        byte[] half = "key,value\na,\u00E9".getBytes(UTF_8);
        byte[] cut = java.util.Arrays.copyOf(half, half.length - 1);
        assertTrue(build(cut).contains("line 2: the line is not valid UTF-8"));
    }

    @ParameterizedTest
    @ValueSource(ints = {99, 100, 101})
    void a_field_is_as_long_as_the_option_says(int chars) throws Exception {
        String line = build("key,value\na," + "v".repeat(chars) + "\n", "--max-line=100");
        assertEquals(chars > 100, line.contains("line 2: a field has more than 100 characters"), line);
    }

    @ParameterizedTest
    @ValueSource(ints = {65_535, 65_536})
    void a_key_has_at_most_65535_bytes(int bytes) throws Exception {
        String line = build("key,value\n" + "k".repeat(bytes) + ",1\n");
        assertEquals(bytes > 65_535, line.contains("line 2: the key has 65536 bytes"));
    }
}
