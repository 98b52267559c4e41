package io.kvstore.server;

final class JavaClientTest extends ClientContract {
    JavaClientTest() {
        super("java");
    }
}
