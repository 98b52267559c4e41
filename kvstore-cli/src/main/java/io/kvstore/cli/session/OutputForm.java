package io.kvstore.cli.session;

/** How a command writes its answer. */
public enum OutputForm {
    /** For people: aligned, with escapes, and long values cut. */
    TABLE,
    /** A JSON object in a line, for programs. */
    JSON,
    /** The bytes themselves. */
    RAW,
    /** Hexadecimal digits. */
    HEX
}
