package io.kvstore.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The Thrift code that is committed. */
final class GeneratedCodeTest {

    @Test
    void generated_code_is_what_the_description_of_the_service_gives() throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                ClientContract.ROOT.resolve("thrift/generate").toString(), "--check");
        Process process = builder.redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), said);
    }
}
