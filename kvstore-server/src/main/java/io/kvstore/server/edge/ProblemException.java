package io.kvstore.server.edge;

/** Ends a request with a problem. The exception has no stack trace, because it is an answer and not a fault of the server. */
public final class ProblemException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    public ProblemException(Problem problem) {
        super(problem.detail(), null, false, false);
        this.problem = problem;
    }

    /** A request that is not valid. */
    public static ProblemException invalid(String detail) {
        return new ProblemException(Problem.of(ProblemCode.INVALID_REQUEST, detail));
    }

    public Problem problem() {
        return problem;
    }
}
