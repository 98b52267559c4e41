package io.kvstore.cli.console;

import io.kvstore.client.error.ErrorCode;
import io.kvstore.client.error.KVClientException;
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
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import picocli.CommandLine;

/** Makes an exit status of each failure, and one line without a stack trace. */
public final class Failures {

    /** The name of a class before the message of an exception, which is not for people. */
    private static final Pattern CLASS_NAME = Pattern.compile("\\b(?:[a-z]\\w*\\.)+[A-Z]\\w*(?:Exception|Error): ");

    private static final String UNKNOWN_OPTION = "Unknown option";

    /** What the library says of a word that is not of the type of an option. */
    private static final Pattern NUMBER_TYPES = Pattern.compile("is not an? (?:int|long|double)$");

    private static final Pattern LABEL = Pattern.compile("^Error: ");

    private final Console console;

    public Failures(Console console) {
        this.console = console;
    }

    /** From now on this tells of exceptions that commands throw. */
    public void watch(CommandLine line) {
        line.setExecutionExceptionHandler((e, _, _) -> told(e));
        line.setParameterExceptionHandler((e, _) -> told(usage(reason(e), e.getCommandLine())));
    }

    /** The message of the library in words for people who do not know its types. */
    private static String reason(CommandLine.ParameterException e) {
        CommandLine.Model.CommandSpec command = e.getCommandLine().getCommandSpec();
        if (e instanceof CommandLine.UnmatchedArgumentException unmatched
                && !unmatched.isUnknownOption()
                && !command.subcommands().isEmpty()
                && !unmatched.getUnmatched().isEmpty()) {
            return "there is no command '" + unmatched.getUnmatched().getFirst() + "'";
        }
        return NUMBER_TYPES
                .matcher(LABEL.matcher(String.valueOf(e.getMessage())).replaceFirst(""))
                .replaceFirst("is no number that it takes");
    }

    private static CommandFailure usage(String message, CommandLine line) {
        return new CommandFailure(
                ExitStatus.USAGE,
                message
                        + (message.startsWith(UNKNOWN_OPTION)
                                ? "; -- stands before arguments that begin with a dash"
                                : "")
                        + " ('" + line.getCommandSpec().qualifiedName() + " --help' lists the options)");
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
            when storage.getCause() instanceof AccessDeniedException denied -> denied(denied);
            case KVStoreException failure
            when failure.getCause() instanceof IOException cause ->
                String.valueOf(failure.getMessage()).replace(cause.toString(), message(cause));
            case KVStoreException failure -> String.valueOf(failure.getMessage());
            case KVClientException failure -> message(failure);
            case IOException failure -> message(failure);
            case UncheckedIOException failure -> message(failure);
            case RuntimeException failure when failure.getCause() instanceof IOException cause -> message(cause);
            case InvalidPathException failure -> message(failure);
            case OutOfMemoryError _ ->
                "the heap of " + (Runtime.getRuntime().maxMemory() >> 20)
                        + "M is full; give a larger heap with JDK_JAVA_OPTIONS=-Xmx4g";
            default -> "this is a defect of kvstore, please report it: " + e + place(e);
        };
    }

    /** A message of our own says what failed, and perhaps what helps. */
    public static String message(UncheckedIOException e) {
        String message = String.valueOf(e.getMessage());
        IOException cause = e.getCause();
        if (cause == null) {
            return message;
        }
        return message.equals(cause.toString()) ? message(cause) : message + ": " + message(cause);
    }

    private static String message(InvalidPathException e) {
        return "\"" + e.getInput() + "\" is no path of a file: " + e.getReason()
                + "; give another, or set a locale that has its letters, such as LC_ALL=C.UTF-8";
    }

    private static String message(KVClientException e) {
        String message = CLASS_NAME.matcher(String.valueOf(e.getMessage())).replaceAll("");
        return switch (e.code()) {
            case CONNECTION_FAILED ->
                message
                        + (e.getCause() instanceof SSLException
                                ? "; does the server have TLS, and is its certificate trusted? --ca-file names one"
                                : "; is a server there? 'kvstore server' starts one, and --url names another");
            case UNAUTHENTICATED ->
                message + "; give the token in KVSTORE_TOKEN, or a file that has it with --token-file";
            default -> message;
        };
    }

    /** A failure of a file names the file, and often has no other message. */
    public static String message(IOException e) {
        return switch (e) {
            case NoSuchFileException missing -> missing.getFile() + " is not there";
            case FileAlreadyExistsException there -> there.getFile() + " is there already";
            case AccessDeniedException denied -> denied(denied);
            case FileSystemException failure when failure.getReason() == null -> e.toString();
            default -> e.getMessage() == null ? e.toString() : e.getMessage();
        };
    }

    private static String denied(AccessDeniedException e) {
        return "this user may not use " + e.getFile() + "; change its permissions, or run as its owner";
    }

    private static String place(Throwable e) {
        StackTraceElement[] trace = e.getStackTrace();
        return trace.length == 0 ? "" : " at " + trace[0];
    }

    private static int statusOf(Throwable e) {
        return switch (e) {
            case CommandFailure failure -> failure.status();
            case KVStoreException failure -> statusOf(failure);
            case KVClientException failure -> statusOf(failure.code());
            case InvalidPathException _ -> ExitStatus.USAGE;
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

    private static int statusOf(ErrorCode code) {
        return switch (code) {
            case INVALID_REQUEST, CONTINUATION_INVALID, TOO_LARGE -> ExitStatus.USAGE;
            case DATABASE_NOT_FOUND, TABLE_NOT_FOUND, NOT_FOUND, TABLE_DROPPED -> ExitStatus.NOT_FOUND;
            case ALREADY_EXISTS, DATABASE_NOT_EMPTY, DEFINITION_DIFFERS, CONDITION_FAILED ->
                ExitStatus.CONDITION_FAILED;
            case OVERLOADED, STOPPING, CONNECTION_FAILED, TIMED_OUT -> ExitStatus.UNAVAILABLE;
            case INTERRUPTED -> ExitStatus.INTERRUPTED;
            case UNAUTHENTICATED, PERMISSION_DENIED, ANSWER_TOO_LARGE, SNAPSHOT_EXPIRED, CORRUPTION, STORAGE_FAILED ->
                ExitStatus.ERROR;
            case DISK_FULL, OUTCOME_UNKNOWN, STORE_FAILED, INTERNAL_ERROR -> ExitStatus.ERROR;
        };
    }
}
