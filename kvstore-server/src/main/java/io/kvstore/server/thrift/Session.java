package io.kvstore.server.thrift;

import io.kvstore.server.edge.Access;
import io.kvstore.server.edge.Problem;
import io.kvstore.server.edge.ProblemCode;
import io.kvstore.server.edge.ProblemException;
import java.util.HashSet;
import java.util.Set;

/** The state of one connection: whether its client is allowed, and its snapshots. Used by the connection's thread only. */
final class Session {

    private final Access access;
    private final Set<Long> snapshotIds = new HashSet<>();
    private boolean allowed;
    private int failures;

    Session(Access access) {
        this.access = access;
        this.allowed = !access.isRestricted();
    }

    /** Whether calls are answered. */
    boolean isAllowed() {
        return allowed;
    }

    /** Whether the client has used up its attempts. */
    boolean isHopeless() {
        return failures >= Limits.FAILED_TOKENS;
    }

    void authenticate(String token) {
        if (access.isRestricted() && !access.allows(token)) {
            allowed = false;
            throw refused("the token is not one of this server's");
        }
        allowed = true;
    }

    void checkAllowed() {
        if (!allowed) {
            throw refused("call authenticate with one of the server's tokens first");
        }
    }

    private ProblemException refused(String why) {
        failures++;
        return new ProblemException(Problem.of(ProblemCode.UNAUTHENTICATED, why));
    }

    /** The ids of the snapshots that this connection opened. They end with the connection. */
    Set<Long> snapshotIds() {
        return snapshotIds;
    }
}
