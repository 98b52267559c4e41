package io.kvstore.testkit;

/**
 * A disk as a crash left it.
 *
 * @param disk the disk
 * @param kind what reports call the crash
 * @param powerLoss whether it was a power loss, or only the end of the process
 * @param garbage whether sectors that were being written may hold anything
 */
record CrashImage(SimStorage disk, String kind, boolean powerLoss, boolean garbage) {

    /** The end of the process. */
    static CrashImage kill(SimStorage disk) {
        return new CrashImage(disk.kill(), "kill", false, false);
    }

    /** A power loss. */
    static CrashImage powerLoss(SimStorage disk, CrashChoice choice) {
        boolean garbage = choice instanceof CrashChoice.Random random && random.garbage();
        String kind = garbage ? "RandomGarbage" : choice.getClass().getSimpleName();
        return new CrashImage(disk.crash(choice), kind, true, garbage);
    }
}
