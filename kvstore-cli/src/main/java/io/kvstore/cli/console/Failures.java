package io.kvstore.cli.console;

import io.kvstore.error.AlreadyExistsException;
import io.kvstore.error.ConditionFailedException;
import io.kvstore.error.CorruptionException;
import io.kvstore.error.DiskFullException;
import io.kvstore.error.InvalidRequestException;
import io.kvstore.error.KVStoreException;
import io.kvstore.error.NotFoundException;
import io.kvstore.error.OutcomeUnknownException;
import io.kvstore.error.OverloadedException;
import io.kvstore.error.StorageException;
import io.kvstore.error.StoreClosedException;
import io.kvstore.error.StoreFailedException;
import io.kvstore.error.StoreLockedException;
import io.kvstore.error.TableDroppedException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import picocli.CommandLine;

/** Makes an exit status of each failure, and one line without a stack trace. */
public final class Failures {

    private final Console console;

    public Failures(Console console) {
        this.console = console;
    }

    /** From now on this tells of exceptions that commands throw. */
    public void watch(CommandLine line) {
        line.setExecutionExceptionHandler((e, _, _) -> told(e));
        line.setParameterExceptionHandler((e, _) -> told(usage(String.valueOf(e.getMessage()), e.getCommandLine())));
    }

    private static CommandFailure usage(String message, CommandLine line) {
        return new CommandFailure(
                ExitStatus.USAGE,
                message + " ('" + line.getCommandSpec().qualifiedName() + " --help' lists the options)");
    }

    /** Tells of a failure; returns the exit status. */
    public int told(Throwable e) {
        if (e instanceof OutputClosed) {
            return ExitStatus.OK;
        }
        console.fail(message(e));
        return statusOf(e);
    }

    private static String message(Throwable e) {
        return switch (e) {
            case CommandFailure failure -> String.valueOf(failure.getMessage());
            case StorageException storage
            when storage.getCause() instanceof AccessDeniedException denied ->
                "this user may not use " + denied.getFile() + "; change its permissions, or run as its owner";
            case KVStoreException failure -> String.valueOf(failure.getMessage());
            case IOException failure -> message(failure);
            case RuntimeException failure when failure.getCause() instanceof IOException cause -> message(cause);
            case OutOfMemoryError _ ->
                "the heap of " + (Runtime.getRuntime().maxMemory() >> 20)
                        + "M is full; give less to --sort-memory, or a larger heap with JDK_JAVA_OPTIONS=-Xmx4g";
            default -> "this is a defect of kvstore, please report it: " + e + place(e);
        };
    }

    private static String message(IOException e) {
        return e instanceof FileSystemException || e.getMessage() == null ? e.toString() : e.getMessage();
    }

    private static String place(Throwable e) {
        StackTraceElement[] trace = e.getStackTrace();
        return trace.length == 0 ? "" : " at " + trace[0];
    }

    private static int statusOf(Throwable e) {
        return switch (e) {
            case CommandFailure failure -> failure.status();
            case KVStoreException failure -> statusOf(failure);
            default -> ExitStatus.ERROR;
        };
    }

    private static int statusOf(KVStoreException e) {
        return switch (e) {
            case InvalidRequestException _ -> ExitStatus.USAGE;
            case NotFoundException _, TableDroppedException _ -> ExitStatus.NOT_FOUND;
            case AlreadyExistsException _, ConditionFailedException _ -> ExitStatus.CONDITION_FAILED;
            case OverloadedException _, StoreLockedException _, StoreClosedException _ -> ExitStatus.UNAVAILABLE;
            case CorruptionException _, DiskFullException _, StorageException _ -> ExitStatus.ERROR;
            case StoreFailedException _, OutcomeUnknownException _ -> ExitStatus.ERROR;
        };
    }
}
