package io.kvstore.testkit;

/** What a simulated directory names. */
sealed interface SimNode permits SimInode, SimDirectory {}
