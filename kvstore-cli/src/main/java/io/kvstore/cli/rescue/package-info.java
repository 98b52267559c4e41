/** Commands that keep a store from being lost: backups, checks, and a way out of damage. They work on directories. */
@NullMarked
package io.kvstore.cli.rescue;

import org.jspecify.annotations.NullMarked;
