package io.kvstore.io;

import java.io.IOException;

/**
 * The system lacked a resource that a call needs. The call changed no file, no bytes that were written before are in doubt, and
 * the same call can succeed later. This failure is never a reason to fail for good.
 */
public abstract sealed class RefusedException extends IOException permits NoSpaceException, NotOpenedException {

    private static final long serialVersionUID = 1L;

    RefusedException(String message, Throwable cause) {
        super(message, cause);
    }

    RefusedException(String message) {
        super(message);
    }
}
