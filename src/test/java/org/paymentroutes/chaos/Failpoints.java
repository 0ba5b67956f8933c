package org.paymentroutes.chaos;

import static org.paymentroutes.chaos.Failpoint.after;
import static org.paymentroutes.chaos.Failpoint.before;
import static org.paymentroutes.chaos.Failpoint.during;
import static org.paymentroutes.chaos.Failpoint.statement;

import java.util.List;
import org.paymentroutes.chaos.Failpoint.When;

/** Every place between two effects of the flow: before and after each commit and each send, and inside of them. */
final class Failpoints {

    /**
     * @param name      what is interrupted
     * @param failpoint where
     * @param atStart   armed from the first moment of the process, when what its predecessor has left behind is taken up;
     *                  else when some payments are on their way
     */
    record Point(String name, Failpoint failpoint, boolean atStart) {
    }

    private static final String INTAKE = "insert into payment (";
    private static final String CLAIM = "set state = 'SUBMITTING'";
    private static final String RECORD = "from told t join payment";
    private static final String EXPIRE = "'LEASE', 'AMBIGUOUS'";
    private static final String QUERIES = "o.task = 'QUERY' and o.due_at";
    private static final String EVENTS = "update node_lease";
    private static final String EVENTS_OFF = "update only node_lease";
    private static final String REGISTER = "insert into provider (";

    /** In this order: some need what the one before has left behind. */
    static final List<Point> ALL = List.of(
            running("before the intake statement", before("intake-accept-record", 4)),
            running("inside the intake statement", statement(When.DURING, INTAKE, 4, 1)),
            running("intake committed, result not read", statement(When.AFTER, INTAKE, 4, 0)),
            running("intake committed, before the answer leaves", before("intake-http-accepted", 4)),
            running("a message read, before its record", before("intake-jms-accept", 4)),
            running("a message's payment committed, the message not", after("intake-jms-accept", 4)),
            running("before the claim", statement(When.BEFORE, CLAIM, 5, 0)),
            running("inside the claim", statement(When.DURING, CLAIM, 5, 1)),
            running("claim committed, result not read", statement(When.AFTER, CLAIM, 5, 0)),
            running("claim committed, before its delivery", before("outbox-sandbox-payment", 4)),
            atStart("before the leases are expired", before("recovery-expire-leases", 1)),
            atStart("inside the expiry of leases", statement(When.DURING, EXPIRE, 1, 2)),
            running("before the hand-over to a worker", before("outbox-sandbox-worker", 4)),
            atStart("leases expired", after("recovery-expire-leases", 1).with("payment_id")),
            running("handed over to a worker", after("outbox-sandbox-worker", 4)),
            running("before the lease is checked", after("attempt-sandbox-begins", 4)),
            running("lease checked, before the request", before("attempt-sandbox-submit", 4)),
            running("before the POST", before("sandbox-post-send", 4)),
            running("inside the POST, first bytes", during("sandbox-post-send", 4, 2)),
            running("inside the POST, request out, answer not in", during("sandbox-post-send", 4, 120)),
            running("answer in, not read", after("sandbox-post-send", 4)),
            running("answer read, before its outcome", before("attempt-sandbox-to-outcome", 4)),
            running("outcome known, before it is collected", before("record-collect", 4)),
            running("collected with others", after("record-collect", 4)),
            running("before the record statement", before("record-statement-sql", 4)),
            running("inside the record statement", statement(When.DURING, RECORD, 4, 2)),
            running("recorded, result not read", statement(When.AFTER, RECORD, 4, 0)),
            running("recorded, before the worker is free", before("record-batch-released", 4)),
            running("before the claim of queries", statement(When.BEFORE, QUERIES, 2, 0)),
            running("inside the claim of queries", statement(When.DURING, QUERIES, 4, 1)),
            running("queries claimed, before any is asked", before("query-sandbox-each", 1).with("payment_id")),
            running("before the GET", before("sandbox-get-send", 2)),
            running("inside the GET", during("sandbox-get-send", 2, 1)),
            running("answer of a query in, not read", after("sandbox-get-send", 2)),
            running("before a query is recorded", before("record-statement-sql", 1).with("\"source\":\"QUERY\"")),
            running("a query recorded", after("record-statement-sql", 1).with("source=QUERY")),
            running("before events are taken up", statement(When.BEFORE, EVENTS, 3, 0)),
            running("events taken up, before any is sent", before("events-batch", 2)),
            running("before the JMS send of an event", before("event-send-jms", 9)),
            running("event sent, JMS not committed", after("event-send-jms", 9)),
            running("events committed in JMS, still in the outbox", after("events-batch", 2)),
            running("inside the removal of events from the outbox", statement(When.DURING, EVENTS_OFF, 2, 1)),
            running("events off the outbox", after("events-taken-off", 2)),
            atStart("before a provider is registered at start-up", statement(When.BEFORE, REGISTER, 1, 0)),
            atStart("a provider registered at start-up", statement(When.AFTER, REGISTER, 1, 0)));

    private Failpoints() {
    }

    private static Point running(String name, Failpoint failpoint) {
        return new Point(name, failpoint, false);
    }

    private static Point atStart(String name, Failpoint failpoint) {
        return new Point(name, failpoint, true);
    }
}
