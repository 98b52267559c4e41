package io.kvstore.server;

final class PythonClientTest extends ClientContract {
    PythonClientTest() {
        super("python");
    }
}
