package io.kvstore.cli.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import org.jspecify.annotations.Nullable;

/** Gathers the body of an answer in memory, up to a limit. A longer one ends the connection. */
final class BoundedBody implements BodySubscriber<byte[]> {

    private final int limit;
    private final long announced;
    private final ByteArrayOutputStream gathered;
    private final CompletableFuture<byte[]> body = new CompletableFuture<>();
    private @Nullable Subscription subscription;

    /** A body that is longer than the limit. */
    static final class TooLong extends IOException {
        private static final long serialVersionUID = 1L;

        TooLong(int limit) {
            super("the answer has more than " + limit + " bytes");
        }
    }

    /** @param announced the length that the answer says it has; -1 if it says none */
    BoundedBody(int limit, long announced) {
        this.limit = limit;
        this.announced = announced;
        this.gathered = new ByteArrayOutputStream(Math.clamp(announced, 0, limit));
    }

    @Override
    public CompletionStage<byte[]> getBody() {
        return body;
    }

    @Override
    public void onSubscribe(Subscription given) {
        subscription = given;
        if (announced > limit) {
            refuse();
        } else {
            given.request(Long.MAX_VALUE);
        }
    }

    private void refuse() {
        if (subscription != null) {
            subscription.cancel();
        }
        body.completeExceptionally(new TooLong(limit));
    }

    @Override
    public void onNext(List<ByteBuffer> parts) {
        for (ByteBuffer part : parts) {
            if (gathered.size() + (long) part.remaining() > limit) {
                refuse();
                return;
            }
            byte[] bytes = new byte[part.remaining()];
            part.get(bytes);
            gathered.writeBytes(bytes);
        }
    }

    @Override
    public void onError(Throwable failure) {
        body.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        body.complete(gathered.toByteArray());
    }
}
