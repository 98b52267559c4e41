package io.kvstore.cli.http;

import io.kvstore.cli.console.SteppedWait;
import io.kvstore.client.ClientOptions;
import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.ErrorReport;
import io.kvstore.client.error.KVClientException;
import io.kvstore.client.error.Outcome;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests and takes answers, each within the time of a call. Repeats what is safe to repeat, as the clients over Thrift
 * do. Safe for several threads.
 */
final class Exchange implements AutoCloseable {

    /** The longest answer, which is held in memory. A page has up to 16 MiB, and a third more as text. */
    static final int MOST_ANSWER_BYTES = 64 << 20;

    private static final long[] PAUSES_MILLIS = {50, 250};

    /**
     * The beginning of the library's message for a connection that ended before its answer. A port for Thrift ends a connection
     * that speaks HTTP.
     */
    private static final String NOTHING_CAME = "header parser received no bytes";

    private final ClientOptions options;
    private final String base;
    private final HttpClient client;
    private final CountDownLatch closing = new CountDownLatch(1);

    Exchange(ClientOptions options) {
        this.options = options;
        String host = options.host().indexOf(':') < 0 ? options.host() : "[" + options.host() + "]";
        this.base = (options.tls() ? "https://" : "http://") + host + ":" + options.port();
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .proxy(HttpClient.Builder.NO_PROXY)
                .connectTimeout(Duration.ofMillis(options.connectTimeoutMillis()));
        if (options.sslContext() != null) {
            builder.sslContext(options.sslContext());
        }
        this.client = builder.build();
    }

    /**
     * Makes a call. Returns an answer that says that the call was done, one of status 404 that says that the key has no value,
     * or one of status 304 if a condition was sent.
     *
     * @throws KVClientException if the call failed
     */
    Answer send(Call call) {
        HttpRequest request = request(call);
        return repeated(call, () -> {}, waits -> {
            HttpResponse<byte[]> response = attempt(request, call, waits, Exchange::bounded);
            Answer answer = new Answer(response.statusCode(), response.headers(), response.body());
            if (answer.isSuccess() || isKnown(call, answer) || Problems.isMissingKey(answer)) {
                return answer;
            }
            throw Problems.of(answer, call.purpose());
        });
    }

    /**
     * Begins a read whose answer has any length. The time of a call bounds the wait for the begin of the answer, and then each
     * wait for more of it.
     *
     * @param whileWaiting called while the answer is waited for; it may throw to end the wait
     * @throws KVClientException if the call failed; reading the answer throws it, too
     */
    InputStream open(Call call, String type, Runnable whileWaiting) {
        HttpRequest request = request(call.with("Accept", type));
        StreamedBody.Waiting waiting = new Waiting(call, whileWaiting);
        return repeated(call, whileWaiting, waits -> {
            HttpResponse<InputStream> response = attempt(
                    request,
                    call,
                    waits,
                    info -> isOfType(info, type)
                            ? new StreamedBody(waiting, options.timeoutMillis())
                            : BodySubscribers.mapping(bounded(info), ByteArrayInputStream::new));
            if (response.body() instanceof StreamedBody streamed) {
                return streamed;
            }
            throw Problems.of(
                    new Answer(response.statusCode(), response.headers(), all(response.body())), call.purpose());
        });
    }

    private static boolean isOfType(HttpResponse.ResponseInfo info, String type) {
        return info.statusCode() == Answer.OK
                && info.headers().firstValue("Content-Type").orElse("").startsWith(type);
    }

    private static BodySubscriber<byte[]> bounded(HttpResponse.ResponseInfo info) {
        return new BoundedBody(
                MOST_ANSWER_BYTES,
                info.headers().firstValueAsLong("Content-Length").orElse(-1));
    }

    private static byte[] all(InputStream inMemory) {
        try {
            return inMemory.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits of a reader of an answer of any length. */
    private final class Waiting implements StreamedBody.Waiting {

        private final Call call;
        private final Runnable whileWaiting;

        Waiting(Call call, Runnable whileWaiting) {
            this.call = call;
            this.whileWaiting = whileWaiting;
        }

        @Override
        public void check() {
            whileWaiting.run();
        }

        @Override
        public RuntimeException failure(@Nullable Throwable cause) {
            return switch (cause) {
                case null -> {
                    String message = "nothing more came in " + options.timeoutMillis() + " ms (timeout_ms)";
                    yield lost(call, ErrorCode.TIMED_OUT, message, null);
                }
                case InterruptedException e -> interrupted(call, e);
                default -> broken(call, cause);
            };
        }
    }

    /** The waits of a call. They end at a moment of {@link System#nanoTime}, or when the task that runs meanwhile throws. */
    private record Waits(long deadline, Runnable meanwhile) {}

    /** One attempt at a call. */
    @FunctionalInterface
    private interface Attempt<T> {
        T run(Waits waits);
    }

    private <T> T repeated(Call call, Runnable meanwhile, Attempt<T> once) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(options.timeoutMillis());
        Waits waits = new Waits(deadline, meanwhile);
        for (int attempt = 0; ; attempt++) {
            try {
                return once.run(waits);
            } catch (KVClientException e) {
                if (attempt == PAUSES_MILLIS.length
                        || !mayRepeat(call, e)
                        || !pause(PAUSES_MILLIS[attempt], deadline)) {
                    throw e;
                }
            }
        }
    }

    /** Whether it says that the value is the one of the condition that was sent. */
    private static boolean isKnown(Call call, Answer answer) {
        return answer.status() == Answer.NOT_MODIFIED
                && call.purpose() == Call.Purpose.READ
                && call.headers().containsKey("If-None-Match");
    }

    private HttpRequest request(Call call) {
        if (isClosed()) {
            throw closed();
        }
        try {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + call.path()))
                    .method(
                            call.method(),
                            call.body() == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(call.body()));
            call.headers().forEach(request::header);
            if (options.token() != null) {
                request.header("Authorization", "Bearer " + options.token());
            }
            return request.build();
        } catch (IllegalArgumentException e) {
            // Its message may have the token.
            throw KVClientException.invalid("the host or the token has a letter that no request over HTTP takes");
        }
    }

    private <T> HttpResponse<T> attempt(HttpRequest request, Call call, Waits waits, BodyHandler<T> body) {
        CompletableFuture<HttpResponse<T>> sent = client.sendAsync(request, body);
        boolean isDone = false;
        try {
            HttpResponse<T> response = await(sent, call, waits);
            isDone = true;
            return response;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted(call, e);
        } catch (ExecutionException e) {
            throw failed(call, e.getCause() == null ? e : e.getCause());
        } finally {
            if (!isDone) {
                sent.cancel(true);
                CompletableFuture<?> _ = sent.whenComplete((late, _) -> close(late)); // it may be there
            }
        }
    }

    private <T> HttpResponse<T> await(CompletableFuture<HttpResponse<T>> sent, Call call, Waits waits)
            throws InterruptedException, ExecutionException {
        try {
            return SteppedWait.of(
                    nanos -> sent.get(nanos, TimeUnit.NANOSECONDS),
                    waits.deadline - System.nanoTime(),
                    waits.meanwhile);
        } catch (TimeoutException e) {
            String message = "no answer came in " + options.timeoutMillis() + " ms (timeout_ms)";
            throw lost(call, ErrorCode.TIMED_OUT, message, e);
        }
    }

    private static void close(@Nullable HttpResponse<?> unwanted) {
        if (unwanted != null && unwanted.body() instanceof StreamedBody streamed) {
            streamed.close();
        }
    }

    private static KVClientException interrupted(Call call, InterruptedException cause) {
        return lost(call, ErrorCode.INTERRUPTED, "the thread was interrupted", cause);
    }

    /** The failure of an answer that had begun. */
    private KVClientException broken(Call call, Throwable cause) {
        return isClosed()
                ? closed()
                : lost(
                        call,
                        ErrorCode.STOPPING,
                        "the connection broke in the middle of the answer (" + reason(cause)
                                + "): the server has ended it, as it does if nothing is taken from it for 30 seconds; try"
                                + " again",
                        cause);
    }

    private KVClientException failed(Call call, Throwable cause) {
        if (isClosed()) {
            return closed();
        }
        if (cause instanceof BoundedBody.TooLong) {
            return KVClientException.of(
                    ErrorReport.of(
                            ErrorCode.ANSWER_TOO_LARGE,
                            call.purpose() == Call.Purpose.WRITE ? Outcome.UNKNOWN : Outcome.FAILED,
                            cause.getMessage() + "; a thrift:// URL may take it"),
                    cause);
        }
        String address = "cannot connect to " + base + ": ";
        if (cause instanceof HttpConnectTimeoutException) {
            return KVClientException.of(
                    ErrorReport.retryable(
                            ErrorCode.TIMED_OUT,
                            Outcome.REJECTED,
                            address + "it took more than " + options.connectTimeoutMillis()
                                    + " ms (connect_timeout_ms)"),
                    cause);
        }
        if (cause instanceof ConnectException) {
            return KVClientException.of(
                    ErrorReport.retryable(ErrorCode.CONNECTION_FAILED, Outcome.REJECTED, address + reason(cause)),
                    cause);
        }
        if (cause instanceof SSLHandshakeException) {
            return KVClientException.of(
                    ErrorReport.of(ErrorCode.CONNECTION_FAILED, Outcome.REJECTED, address + reason(cause)), cause);
        }
        return lost(call, ErrorCode.CONNECTION_FAILED, "the connection failed: " + reason(cause), cause);
    }

    private static String reason(Throwable cause) {
        if (isUnknownHost(cause)) {
            return "there is no host with this name";
        }
        if (String.valueOf(cause.getMessage()).endsWith(NOTHING_CAME)) {
            return "it ended without an answer; is this the port for HTTP?";
        }
        if (cause.getMessage() != null) {
            return cause.getMessage();
        }
        return cause instanceof ConnectException ? "nobody answers there" : cause.toString();
    }

    private static boolean isUnknownHost(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnresolvedAddressException) {
                return true;
            }
        }
        return false;
    }

    /** The failure of a call that may have been sent and was not answered. */
    private static KVClientException lost(Call call, ErrorCode code, String message, @Nullable Throwable cause) {
        return switch (call.purpose()) {
            case READ ->
                KVClientException.of(
                        code == ErrorCode.CONNECTION_FAILED
                                ? ErrorReport.retryable(code, Outcome.FAILED, message)
                                : ErrorReport.of(code, Outcome.FAILED, message),
                        cause);
            case WRITE -> outcomeUnknown(message, cause);
        };
    }

    static KVClientException outcomeUnknown(String message, @Nullable Throwable cause) {
        return KVClientException.of(
                ErrorReport.of(
                        ErrorCode.OUTCOME_UNKNOWN,
                        Outcome.UNKNOWN,
                        message + "; the write may or may not have been applied: read it back"),
                cause);
    }

    private static boolean mayRepeat(Call call, KVClientException failure) {
        return failure.isRetryable()
                && failure.code() != ErrorCode.TIMED_OUT
                && (call.purpose() == Call.Purpose.READ || failure.outcome() == Outcome.REJECTED);
    }

    private boolean isClosed() {
        return closing.getCount() == 0;
    }

    /** Waits; returns false if the time of the call ends before, or as the other. */
    private boolean pause(long millis, long deadline) {
        return deadline - System.nanoTime() > TimeUnit.MILLISECONDS.toNanos(millis) && pause(millis);
    }

    /** Waits; returns false if the client is closed before, or the thread was interrupted. */
    boolean pause(long millis) {
        try {
            return !closing.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static KVClientException closed() {
        return KVClientException.of(
                ErrorReport.of(ErrorCode.CONNECTION_FAILED, Outcome.REJECTED, "the client is closed"));
    }

    @Override
    public void close() {
        closing.countDown();
        client.shutdownNow();
    }
}
