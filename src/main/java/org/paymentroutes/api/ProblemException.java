package org.paymentroutes.api;

/** Ends a request with a problem. */
public final class ProblemException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    /** @param problem the answer */
    public ProblemException(Problem problem) {
        super(problem.title());
        this.problem = problem;
    }

    /** @return the answer */
    public Problem problem() {
        return problem;
    }
}
