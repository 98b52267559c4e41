package io.kvstore.testkit;

import io.kvstore.io.Storage;
import io.kvstore.io.StorageFile;
import io.kvstore.io.WritableMapping;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A storage whose every call, also of its files and mappings, goes through a hook that may do something else instead. */
public final class HookedStorage {

    private HookedStorage() {}

    /** The rest of a call. */
    public interface Proceed {
        /** Does what was asked for. */
        @Nullable
        Object call() throws Throwable;

        /** What the call was given. */
        Object argument(int index);

        /** Whether it reads bytes of a file between two offsets. */
        boolean reads(long from, long end);
    }

    private record Call(Object proxy, Object inner, Method method, Object[] arguments) implements Proceed {

        @Override
        public @Nullable Object call() throws Throwable {
            try {
                if (method.getName().equals("openDirectory")) {
                    // its sync is a call of syncDirectory, which goes through the hook
                    return InvocationHandler.invokeDefault(proxy, method, arguments);
                }
                return method.invoke(inner, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause() == null ? e : e.getCause();
            }
        }

        @Override
        public Object argument(int index) {
            return arguments[index];
        }

        @Override
        public boolean reads(long from, long end) {
            if (!method.getName().equals("read") && !method.getName().equals("readFully")) {
                return false;
            }
            long position = (long) arguments[1];
            return position < end && position + ((ByteBuffer) arguments[0]).remaining() > from;
        }
    }

    /** What is done instead of a call. */
    public interface Hook {
        /**
         * @param name the method's name
         * @param path the file's path, or the first argument, or empty
         * @param proceed does what was asked for
         */
        @Nullable
        Object call(String name, String path, Proceed proceed) throws Throwable;
    }

    /** A storage like another one. */
    public static Storage over(Storage inner, Hook hook) {
        return wrap(Storage.class, inner, "", hook);
    }

    private static <T> T wrap(Class<T> type, T inner, String path, Hook hook) {
        InvocationHandler handler = (proxy, method, given) -> {
            Object[] arguments = given == null ? new Object[0] : given;
            String name = arguments.length > 0 && arguments[0] instanceof String text ? text : path;
            Object result = hook.call(method.getName(), name, new Call(proxy, inner, method, arguments));
            return switch (result) {
                case StorageFile file -> wrap(StorageFile.class, file, name, hook);
                case WritableMapping mapping -> wrap(WritableMapping.class, mapping, name, hook);
                case null, default -> result;
            };
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
