package io.kvstore.cli.session;

import org.jspecify.annotations.Nullable;

/**
 * The database and the table that are meant if none is named.
 *
 * @param database the database, or null
 * @param table the table of the database, or null
 */
public record Place(@Nullable String database, @Nullable String table) {

    public static final Place NONE = new Place(null, null);
}
