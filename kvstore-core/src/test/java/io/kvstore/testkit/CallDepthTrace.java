package io.kvstore.testkit;

import com.sun.jdi.AbsentInformationException;
import com.sun.jdi.ArrayReference;
import com.sun.jdi.Bootstrap;
import com.sun.jdi.IncompatibleThreadStateException;
import com.sun.jdi.Method;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.StackFrame;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.IllegalConnectorArgumentsException;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.connect.VMStartException;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.event.VMDeathEvent;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import io.kvstore.value.segment.RecordEncoder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Runs {@link CallDepthProcess} under the debugger interface of the JDK, and stops the thread of a put at the entry of each
 * method of the store. A method is given the value if one of its arguments is an array as long as the value, which is the value
 * or a copy of it. The frames of these methods are kept. All code of the process is interpreted, so every call has a frame.
 */
final class CallDepthTrace {

    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(120);
    private static final String ROOT = "io.kvstore.";
    private static final String TRACED = "traced";
    private static final String OVER = "over";
    private static final int VALUE_ARGUMENT = 2;

    private final VirtualMachine machine;
    private final List<Put> puts = new ArrayList<>();
    private boolean over;

    /** The method of {@link RecordEncoder} that copies a value which it has in a field. */
    private final String copier;

    /**
     * One put.
     *
     * @param valueBytes how long the value is
     * @param calls for each method that is given the value, the frames from {@code Table.put} down to the method
     */
    record Put(int valueBytes, List<List<String>> calls) {}

    private CallDepthTrace(VirtualMachine machine) throws NoSuchMethodException {
        this.machine = machine;
        this.copier = RecordEncoder.class
                .getMethod("write", byte[].class, int.class, long.class, long.class)
                .getName();
    }

    /** Traces puts of values of these lengths into a new store. No other array of a put may have such a length. */
    static List<Put> of(Path directory, String engine, List<Integer> valueLengths) throws Exception {
        StringBuilder main = new StringBuilder(CallDepthProcess.class.getName());
        main.append(" \"").append(directory).append("\" ").append(engine);
        valueLengths.forEach(length -> main.append(' ').append(length));
        VirtualMachine machine = launch(main.toString());
        Process process = machine.process();
        try {
            CallDepthTrace trace = new CallDepthTrace(machine);
            trace.run();
            return trace.puts;
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private static VirtualMachine launch(String main)
            throws IOException, IllegalConnectorArgumentsException, VMStartException {
        LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
        Map<String, Connector.Argument> arguments = connector.defaultArguments();
        String classPath = System.getProperty("java.class.path");
        Objects.requireNonNull(arguments.get("main")).setValue(main);
        Objects.requireNonNull(arguments.get("options"))
                .setValue("-Xint --enable-native-access=ALL-UNNAMED -cp \"" + classPath + "\"");
        return connector.launch(arguments);
    }

    private void run() throws IOException, InterruptedException, IncompatibleThreadStateException {
        ClassPrepareRequest prepared = machine.eventRequestManager().createClassPrepareRequest();
        prepared.addClassFilter(CallDepthProcess.class.getName());
        prepared.enable();
        long end = System.nanoTime() + MOST_NANOS;
        while (!over) {
            long leftMillis = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            EventSet events = leftMillis <= 0 ? null : machine.eventQueue().remove(leftMillis);
            if (events == null) {
                throw new AssertionError("the process has not ended its puts in time");
            }
            for (Event event : events) {
                see(event);
            }
            events.resume();
        }
    }

    private void see(Event event) throws IOException, IncompatibleThreadStateException {
        switch (event) {
            case ClassPrepareEvent prepared -> {
                stopAt(prepared.referenceType(), TRACED);
                stopAt(prepared.referenceType(), OVER);
            }
            case BreakpointEvent stopped -> {
                if (stopped.location().method().name().equals(OVER)) {
                    over = true;
                } else {
                    begin(stopped.thread());
                }
            }
            case MethodEntryEvent entered -> look(entered.thread());
            case VMDeathEvent _, VMDisconnectEvent _ ->
                throw new AssertionError("the process ended before its puts: " + errors());
            default -> {
                // the start of the process
            }
        }
    }

    private String errors() throws IOException {
        return new String(machine.process().getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    private void stopAt(ReferenceType type, String name) {
        for (Method method : type.methodsByName(name)) {
            machine.eventRequestManager()
                    .createBreakpointRequest(method.location())
                    .enable();
        }
    }

    private void begin(ThreadReference thread) throws IncompatibleThreadStateException {
        if (puts.isEmpty()) {
            MethodEntryRequest entered = machine.eventRequestManager().createMethodEntryRequest();
            entered.addThreadFilter(thread);
            entered.addClassFilter(ROOT + "*");
            entered.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
            entered.enable();
        }
        ArrayReference value =
                (ArrayReference) thread.frame(0).getArgumentValues().get(VALUE_ARGUMENT);
        puts.add(new Put(value.length(), new ArrayList<>()));
    }

    private void look(ThreadReference thread) throws IncompatibleThreadStateException {
        Put put = puts.getLast();
        if (!isGiven(thread.frame(0), put.valueBytes)) {
            return;
        }
        List<String> frames = new ArrayList<>();
        for (StackFrame frame : thread.frames()) {
            Method method = frame.location().method();
            if (method.name().equals(TRACED)) {
                break;
            }
            String type = method.declaringType().name().replace(ROOT, "");
            frames.addFirst(type + "." + method.name() + ":" + frame.location().lineNumber());
        }
        put.calls.add(frames);
    }

    private boolean isGiven(StackFrame frame, int bytes) {
        Method method = frame.location().method();
        if (method.name().equals(copier) && method.declaringType().name().equals(RecordEncoder.class.getName())) {
            return true;
        }
        try {
            return frame.getValues(method.arguments()).values().stream()
                    .anyMatch(argument -> argument instanceof ArrayReference array && array.length() == bytes);
        } catch (AbsentInformationException e) {
            return false; // the compiler has made the method
        }
    }
}
