package io.kvstore.server.edge;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * Decides whether a client may use the server: every client may, or only clients that know one of its tokens. There is one
 * role: a token allows everything. Only hashes of tokens are kept. A token usually has 256 random bits, so a slow hash would
 * gain nothing. Safe for use by several threads.
 */
public final class Access {

    private static final int MIN_TOKEN_CHARS = 32;
    private static final int MAX_TOKEN_CHARS = 512;
    private static final int NEW_TOKEN_BYTES = 32;

    private final List<byte[]> hashes;

    private Access(List<byte[]> hashes) {
        this.hashes = hashes;
    }

    /** Allows everything to every client. */
    public static Access open() {
        return new Access(List.of());
    }

    /**
     * Allows everything to the clients that know a token of a file. The file has one token a line, of 32 to 512 characters.
     * Empty lines and lines that begin with # are skipped.
     *
     * @throws ProblemException if the file is missing, has no token, or has a token that is too short or too long
     */
    public static Access byTokensOf(Path file) {
        String text;
        try {
            text = new String(PrivateFile.read(file), StandardCharsets.UTF_8);
        } catch (FileNotFoundException e) {
            throw ProblemException.invalid("there is no token file " + file
                    + ": give the path of one, or --create-token-file to have it written with a new token");
        } catch (IOException e) {
            throw new UncheckedIOException("the tokens cannot be read: " + Reasons.of(e), e);
        }
        List<byte[]> hashes = new ArrayList<>();
        int number = 0;
        for (String line : text.split("\n", -1)) {
            number++;
            String token = line.strip();
            if (token.isEmpty() || token.startsWith("#")) {
                continue;
            }
            if (token.length() < MIN_TOKEN_CHARS || token.length() > MAX_TOKEN_CHARS) {
                throw ProblemException.invalid("line " + number + " of " + file + " has " + token.length()
                        + " characters; a token has " + MIN_TOKEN_CHARS + " to " + MAX_TOKEN_CHARS);
            }
            hashes.add(hash(token));
        }
        if (hashes.isEmpty()) {
            throw ProblemException.invalid(
                    file + " has no token: write one in a line, or remove the file and start again");
        }
        return new Access(List.copyOf(hashes));
    }

    /** Writes a file with a new random token, unless the file exists. Returns whether it wrote the file. */
    public static boolean createTokens(Path file) {
        try {
            return PrivateFile.createIfAbsent(file, Access::newFile);
        } catch (IOException e) {
            throw new UncheckedIOException("the tokens cannot be written: " + Reasons.of(e), e);
        }
    }

    private static byte[] newFile() {
        byte[] random = new byte[NEW_TOKEN_BYTES];
        new SecureRandom().nextBytes(random);
        String token = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
        return (token + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** Whether a token is needed. */
    public boolean isRestricted() {
        return !hashes.isEmpty();
    }

    /** Whether the server knows a token. The time does not depend on how similar an unknown token is to a known one. */
    public boolean allows(String token) {
        byte[] given = hash(token);
        boolean known = false;
        for (byte[] hash : hashes) {
            known |= MessageDigest.isEqual(hash, given);
        }
        return known;
    }

    private static byte[] hash(String token) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java has no SHA-256", e);
        }
    }
}
