package io.kvstore.tidy;

/** One place that breaks a rule, and what to do instead. */
record Finding(String file, int line, String message) {
    @Override
    public String toString() {
        return file + ":" + line + " " + message;
    }
}
