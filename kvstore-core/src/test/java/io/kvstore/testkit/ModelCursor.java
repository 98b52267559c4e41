package io.kvstore.testkit;

import io.kvstore.engine.EngineCursor;
import java.util.List;
import java.util.Objects;

/** Walks a list that was made when the scan began. */
final class ModelCursor implements EngineCursor {

    private final List<ModelEngine.Version> versions;
    private int at = -1;

    ModelCursor(List<ModelEngine.Version> versions) {
        this.versions = versions;
    }

    @Override
    public boolean next() {
        at = Math.min(at + 1, versions.size());
        return at < versions.size();
    }

    @Override
    public byte[] key() {
        return versions.get(at).key().clone();
    }

    @Override
    public byte[] value() {
        return Objects.requireNonNull(versions.get(at).value()).clone();
    }

    @Override
    public void close() {}
}
