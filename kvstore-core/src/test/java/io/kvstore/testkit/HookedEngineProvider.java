package io.kvstore.testkit;

import io.kvstore.data.TableParameter;
import io.kvstore.engine.TableContext;
import io.kvstore.engine.TableEngine;
import io.kvstore.engine.TableEngineProvider;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/**
 * The engine of the module under test, or that of the test kit where there is none, with a place to throw something before and
 * after each reservation and each operation, if the store's clock is {@link ErrorPoints}.
 */
public final class HookedEngineProvider implements TableEngineProvider {

    /** The name of the engine. */
    public static final String NAME = "HOOKED";

    private static TableEngineProvider inner() {
        return ServiceLoader.load(TableEngineProvider.class).stream()
                .filter(provider -> provider.type() != HookedEngineProvider.class)
                .map(ServiceLoader.Provider::get)
                .min(Comparator.comparing((TableEngineProvider provider) ->
                                provider.name().endsWith("MODEL"))
                        .thenComparing(TableEngineProvider::name))
                .orElseThrow();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<TableParameter> parameters() {
        return inner().parameters();
    }

    @Override
    public Map<String, String> defaultsBeside(Map<String, String> given) {
        return inner().defaultsBeside(given);
    }

    @Override
    public Map<String, String> defaultsInMemory(long memoryBytes) {
        return inner().defaultsInMemory(memoryBytes);
    }

    @Override
    public boolean isOrdered() {
        return inner().isOrdered();
    }

    @Override
    public TableEngine open(TableContext context) throws IOException {
        TableEngine engine = inner().open(context);
        return context.clock() instanceof ErrorPoints points ? over(engine, points) : engine;
    }

    /** Whether an engine replays the log in a way of its own. */
    private static boolean hasReplay(TableEngine engine) throws NoSuchMethodException {
        return engine.getClass().getMethod("replay").getDeclaringClass() != TableEngine.class;
    }

    private static TableEngine over(TableEngine engine, ErrorPoints points) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            if (method.isDefault() && method.getName().equals("replay") && !hasReplay(engine)) {
                return InvocationHandler.invokeDefault(proxy, method); // so that replay passes the points, too
            }
            ErrorPlan.Place place = switch (method.getName()) {
                case "reserve" -> ErrorPlan.Place.RESERVE;
                case "apply" -> ErrorPlan.Place.APPLY;
                default -> null;
            };
            if (place != null) {
                points.reach(place);
            }
            Object result;
            try {
                result = method.invoke(engine, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause() == null ? e : e.getCause();
            }
            if (place != null) {
                points.reach(place);
            }
            return result;
        };
        return (TableEngine)
                Proxy.newProxyInstance(TableEngine.class.getClassLoader(), new Class<?>[] {TableEngine.class}, handler);
    }
}
