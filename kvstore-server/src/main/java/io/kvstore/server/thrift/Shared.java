package io.kvstore.server.thrift;

import io.kvstore.server.edge.ByteBudget;
import io.kvstore.server.edge.Edge;
import io.kvstore.server.metrics.CallMetrics;
import org.apache.thrift.TConfiguration;

/**
 * The objects that the connections of one server share.
 *
 * @param edge the objects that this edge shares with others
 * @param reads the calls that read
 * @param scans the pages of scans
 * @param writes the calls that write
 * @param leases open snapshots
 * @param budget memory for large frames and answers
 * @param pool large buffers that are not in use
 * @param maxFrameBytes the size of the largest frame that is read or written
 * @param metrics counts and times of calls
 */
record Shared(
        Edge edge,
        Reads reads,
        Scans scans,
        Writes writes,
        Leases leases,
        ByteBudget budget,
        BufferPool pool,
        int maxFrameBytes,
        CallMetrics metrics) {

    static Shared of(Edge edge, long budgetBytes, CallMetrics metrics) {
        int maxFrameBytes = Math.toIntExact(
                Math.min(edge.store().options().maxValueBytes() + Limits.FRAME_SLACK_BYTES, Integer.MAX_VALUE / 4));
        Leases leases = new Leases(edge.store());
        Reads reads = new Reads(edge, leases, maxFrameBytes);
        return new Shared(
                edge,
                reads,
                new Scans(reads, edge.continuations(), leases, maxFrameBytes),
                new Writes(edge, maxFrameBytes),
                leases,
                new ByteBudget(budgetBytes),
                new BufferPool(),
                maxFrameBytes,
                metrics);
    }

    /** The limits in the form that the library takes. */
    TConfiguration limits() {
        return new TConfiguration(maxFrameBytes, maxFrameBytes, Limits.DEPTH);
    }
}
