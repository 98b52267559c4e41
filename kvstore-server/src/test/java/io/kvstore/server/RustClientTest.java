package io.kvstore.server;

final class RustClientTest extends ClientContract {
    RustClientTest() {
        super("rust");
    }
}
