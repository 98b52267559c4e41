package io.kvstore.tidy;

import java.util.List;

/** A member that must not be named, where that holds, and what to use instead. */
record BannedCall(String code, Place place, String instead) {
    /** Where a call is banned. */
    enum Place {
        EVERYWHERE,
        OUTSIDE_PROGRAMS,
        MAIN_OUTSIDE_PROGRAMS,
        OUTSIDE_BENCHMARKS
    }

    static final List<BannedCall> ALL = List.of(
            new BannedCall("System.out", Place.OUTSIDE_PROGRAMS, "log, or put it into the message of the assertion"),
            new BannedCall("System.err", Place.OUTSIDE_PROGRAMS, "log, or put it into the message of the assertion"),
            new BannedCall("printStackTrace", Place.EVERYWHERE, "log the exception, or let it go up"),
            new BannedCall("System.exit", Place.MAIN_OUTSIDE_PROGRAMS, "a library does not end its host: throw"),
            new BannedCall("Thread.sleep", Place.OUTSIDE_BENCHMARKS, "wait for the condition itself"),
            new BannedCall("System.gc", Place.OUTSIDE_BENCHMARKS, "nothing may depend on when garbage is collected"),
            new BannedCall("misc.Unsafe", Place.EVERYWHERE, "use java.lang.foreign or a VarHandle"));

    /** The last name of the code. Only a selection of that name can be the code. */
    String lastName() {
        return code.substring(code.lastIndexOf('.') + 1);
    }

    boolean isIn(SourceText source) {
        boolean benchmark = source.isIn("bench");
        boolean program =
                !source.isTest() && (benchmark || source.isIn("kvstore-server") || source.isIn("kvstore-cli"));
        return switch (place) {
            case EVERYWHERE -> true;
            case OUTSIDE_PROGRAMS ->
                !program && !source.name().equals("ReadmeExampleTest.java"); // shows what users write
            case MAIN_OUTSIDE_PROGRAMS -> !program && !source.isTest();
            case OUTSIDE_BENCHMARKS -> !benchmark;
        };
    }
}
