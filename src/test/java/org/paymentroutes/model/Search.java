package org.paymentroutes.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.paymentroutes.model.World.State;

/** Looks at every world that can be reached, breadth first, so that a violation is found with a shortest history. */
final class Search {

    /**
     * @param states    how many worlds were looked at
     * @param moves     how many moves between them
     * @param mostPaid  how often the payment is made in the worst of them
     * @param violation what is wrong; null when nothing is
     * @param history   what leads there
     */
    record Result(int states, long moves, int mostPaid, String violation, List<String> history) {

        @Override
        public String toString() {
            return violation == null ? states + " states, " + moves + " moves, no violation"
                    : violation + " after:\n  " + String.join("\n  ", history);
        }
    }

    private final Contract contract;
    private final Moves moves;
    private final Seen seen = new Seen();
    private final ArrayDeque<World> open = new ArrayDeque<>();
    private int[] parent = new int[1 << 16];
    private String[] label = new String[1 << 16];
    private int[] edges = new int[1 << 18];
    private int edgeCount;
    private long moveCount;
    private int mostPaid;
    private String violation;
    private int violating;

    private final BitSet settled = new BitSet();

    private Search(Contract contract, Set<Rule> rules) {
        this.contract = contract;
        this.moves = new Moves(contract, rules);
    }

    static Result of(Contract contract, Set<Rule> rules) {
        return new Search(contract, rules).run();
    }

    private Result run() {
        add(new World(), -1, null);
        int at = 0;
        while (violation == null && !open.isEmpty()) {
            World now = open.poll();
            int from = at++;
            moves.from(now, (what, next, ours) -> {
                if (violation != null) {
                    return;
                }
                moveCount++;
                mostPaid = Math.max(mostPaid, next.timesPaid());
                int to = add(next, from, what);
                if (ours) {
                    edge(from, to);
                }
                String wrong = wrong(now, next);
                if (wrong != null) {
                    violation = wrong;
                    violating = to;
                    // It may have been reached in another way before.
                    parent[to] = from;
                    label[to] = what;
                }
            });
        }
        if (violation == null) {
            forgotten();
        }
        return new Result(seen.size(), moveCount, mostPaid, violation, violation == null ? List.of() : history());
    }

    private int add(World world, int from, String what) {
        int number = seen.size();
        int known = seen.add(world.key());
        if (known < number) {
            return known;
        }
        if (number == parent.length) {
            parent = Arrays.copyOf(parent, 2 * number);
            label = Arrays.copyOf(label, 2 * number);
        }
        parent[number] = from;
        label[number] = what;
        if (world.isFinal() || world.isReview()) {
            settled.set(number);
        }
        open.add(world);
        return number;
    }

    private void edge(int from, int to) {
        if (edgeCount + 2 > edges.length) {
            edges = Arrays.copyOf(edges, 2 * edges.length);
        }
        edges[edgeCount++] = from;
        edges[edgeCount++] = to;
    }

    private String wrong(World before, World now) {
        if (now.timesPaid() > 1 && contract.promisesOnce()) {
            return "the payment is made twice";
        }
        if (now.sentOverSuccess) {
            return "it is sent although a success is on record";
        }
        if (before.state == State.SUCCEEDED && now.state != State.SUCCEEDED) {
            return "SUCCEEDED is left";
        }
        if (before.state == State.FAILED && now.state != State.FAILED && now.state != State.PENDING) {
            return "FAILED is left without a retry";
        }
        if (now.state == State.SUCCEEDED && now.timesPaid() == 0) {
            return "SUCCEEDED, and no money moved";
        }
        if (now.state == State.FAILED && now.timesPaid() > 0 && !now.conflict) {
            return "FAILED, and the money moved";
        }
        return null;
    }

    /** From everywhere, what happens for certain must lead to a final state or to people. */
    private void forgotten() {
        int states = seen.size();
        int[] count = new int[states + 1];
        for (int i = 1; i < edgeCount; i += 2) {
            count[edges[i] + 1]++;
        }
        for (int i = 0; i < states; i++) {
            count[i + 1] += count[i];
        }
        int[] start = count.clone();
        int[] sources = new int[edgeCount / 2];
        for (int i = 0; i < edgeCount; i += 2) {
            sources[start[edges[i + 1]]++] = edges[i];
        }
        BitSet reached = (BitSet) settled.clone();
        ArrayDeque<Integer> next = new ArrayDeque<>();
        reached.stream().forEach(next::add);
        while (!next.isEmpty()) {
            int to = next.poll();
            for (int i = count[to]; i < count[to + 1]; i++) {
                if (!reached.get(sources[i])) {
                    reached.set(sources[i]);
                    next.add(sources[i]);
                }
            }
        }
        int lost = reached.nextClearBit(0);
        if (lost < states) {
            violation = "the payment is forgotten: nothing will happen to it";
            violating = lost;
        }
    }

    private List<String> history() {
        List<String> history = new ArrayList<>();
        for (int at = violating; parent[at] >= 0 && history.size() < 200; at = parent[at]) {
            history.add(label[at]);
        }
        Collections.reverse(history);
        return history;
    }
}
