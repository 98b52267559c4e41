package io.kvstore.server;

final class NodeClientTest extends ClientContract {
    NodeClientTest() {
        super("node");
    }
}
