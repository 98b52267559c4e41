/**
 * The threads of a store, which engines see as {@link io.kvstore.engine.Background}.
 *
 * <p>{@link io.kvstore.durability.background.ThreadedBackground} has workers for each class of tasks, so urgent work never
 * waits behind long work, and one thread for repeated tasks. {@link io.kvstore.durability.background.PatientBackground} keeps
 * a task for which no thread can be had now, and hands it over later. So a task that was taken is run unless the store is
 * closed before. {@link io.kvstore.durability.background.MonitorWaiter} is how a thread waits for such work.
 */
@NullMarked
package io.kvstore.durability.background;

import org.jspecify.annotations.NullMarked;
