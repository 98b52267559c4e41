/**
 * Pure functions on segments: {@link io.kvstore.value.policy.ValueGarbage} says which segments are worth emptying,
 * {@link io.kvstore.value.policy.ClusteringPolicy} which ones are worth writing in the order of their keys, {@link
 * io.kvstore.value.policy.NearValues} whether a value lies near the one that was read before. They decide for both engines; the
 * engines say when, and do the work.
 */
@NullMarked
package io.kvstore.value.policy;

import org.jspecify.annotations.NullMarked;
