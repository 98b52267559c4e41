package io.kvstore.catalog;

import java.io.IOException;

/** The new catalog may or may not have replaced the old one on disk. The store has failed; reopening it shows which. */
public final class CatalogUncertainException extends IOException {

    private static final long serialVersionUID = 1L;

    CatalogUncertainException(Throwable cause) {
        super("whether the catalog was replaced is not known: " + cause.getMessage(), cause);
    }
}
