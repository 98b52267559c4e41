package io.kvstore.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvstore.client.error.InvalidRequestException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The URL of a server. */
final class ServerUrlTest {

    @Test
    void a_url_has_defaults() {
        assertEquals(
                new ClientOptions("db.example", 9_090, false, null, 5_000, 30_000, 8, 17 << 20, null),
                ClientOptions.parse("kvstore://db.example"));
    }

    @Test
    void a_url_can_say_everything() {
        assertEquals(
                new ClientOptions("db_1", 7, true, "a@b:c/d+e", 1, 2, 3, 4, null),
                ClientOptions.parse("kvstores://a%40b:c/d+e@db_1:7"
                        + "?connect_timeout_ms=1&timeout_ms=2&pool=3&max_frame_bytes=4"));
    }

    @ParameterizedTest
    @CsvSource({
        "kvstore://h:1, h, 1",
        "kvstore://h/, h, 9090",
        "kvstore://h?, h, 9090",
        "kvstore://h/?pool=1, h, 9090",
        "kvstore://[::1], ::1, 9090",
        "kvstore://[fe80::1]:65535, fe80::1, 65535",
        "kvstore://10.0.0.1:9091, 10.0.0.1, 9091",
    })
    void a_url_names_a_server(String url, String host, int port) {
        ClientOptions options = ClientOptions.parse(url);
        assertEquals(host, options.host());
        assertEquals(port, options.port());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "h",
                "h:9090",
                "http://h",
                "KVSTORE://h",
                "kvstore:h",
                "kvstore://",
                "kvstore://:9090",
                "kvstore://@h",
                "kvstore://%zz@h",
                "kvstore://t@",
                "kvstore://h:",
                "kvstore://h:0",
                "kvstore://h:65536",
                "kvstore://h:99999999999",
                "kvstore://h:9x",
                "kvstore://h:-1",
                "kvstore://::1",
                "kvstore://[::1",
                "kvstore://[::1]9",
                "kvstore://h/path",
                "kvstore://h//",
                "kvstore://h h",
                "kvstore://h#f",
                "kvstore://h?pool",
                "kvstore://h?pool=",
                "kvstore://h?pool=0",
                "kvstore://h?pool=10001",
                "kvstore://h?pool=x",
                "kvstore://h?pool=1&pool=2",
                "kvstore://h?pool=1&",
                "kvstore://h?Pool=1",
                "kvstore://h?pools=1",
                "kvstore://h?timeout_ms=0",
                "kvstore://h?connect_timeout_ms=-1",
                "kvstore://h?max_frame_bytes=1073741824",
            })
    void another_url_is_refused(String url) {
        assertThrows(InvalidRequestException.class, () -> ClientOptions.parse(url));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://secret@h",
                "kvstore://secret@h:x",
                "kvstore://secret@h/p",
                "kvstore://secret%@h",
                "kvstore://secret@h?x=1",
                "kvstore://secret@h#f"
            })
    void a_message_does_not_show_the_token(String url) {
        InvalidRequestException failure = assertThrows(InvalidRequestException.class, () -> ClientOptions.parse(url));
        assertFalse(failure.toString().contains("secret"), failure::toString);
    }

    @Test
    void options_do_not_show_the_token() {
        String shown = ClientOptions.parse("kvstores://secret@[::1]:7").toString();
        assertFalse(shown.contains("secret"), shown);
        assertEquals(
                "ClientOptions[kvstores://...@[::1]:7"
                        + "?connect_timeout_ms=5000&timeout_ms=30000&pool=8&max_frame_bytes=17825792]",
                shown);
    }
}
