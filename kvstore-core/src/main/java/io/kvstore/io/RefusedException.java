package io.kvstore.io;

import java.io.IOException;

/**
 * The system had not what a call needs: no file was changed by it, nothing that was written before is in doubt, and the same
 * call can succeed later. It is never a reason to fail for good.
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
