package io.kvstore.server;

final class GoClientTest extends ClientContract {
    GoClientTest() {
        super("go");
    }
}
