package io.kvstore.server;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/**
 * Listens for SIGTERM and SIGINT. A shutdown hook cannot replace it: a hook never learns of a second signal and cannot end the
 * process with status 0. The JDK's only way to handle signals is a class that no module exports officially, so the class is
 * looked up at run time. Where it is missing, signals end the process at once, which the store survives.
 */
final class StopSignals {

    private StopSignals() {}

    /** @param heard is told 1 for the first signal, 2 for the second, and so on, on a thread of the JVM */
    static void listen(IntConsumer heard) {
        AtomicInteger count = new AtomicInteger();
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            InvocationHandler handling = (_, method, _) -> {
                if (method.getName().equals("handle")) {
                    heard.accept(count.incrementAndGet());
                }
                return null;
            };
            Object handler =
                    Proxy.newProxyInstance(StopSignals.class.getClassLoader(), new Class<?>[] {handlerType}, handling);
            for (String name : new String[] {"TERM", "INT"}) {
                Object one = signal.getConstructor(String.class).newInstance(name);
                signal.getMethod("handle", signal, handlerType).invoke(null, one, handler);
            }
        } catch (ReflectiveOperationException e) {
            System.getLogger(StopSignals.class.getName())
                    .log(System.Logger.Level.WARNING, "signals end the server at once: " + e);
        }
    }
}
