package org.paymentroutes.sandbox;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.paymentroutes.sandbox.BookedPayment.Move;
import org.paymentroutes.sandbox.SandboxProperties.Idempotency;

/**
 * The provider's books: how often money moved for each reference. They know nothing of our database, so they can bear
 * witness against it.
 *
 * <p>A line is decided in memory and applied in one step under a lock, and {@link #book} returns only when the line is on
 * disk. A restart applies the same lines again.
 */
public final class SandboxBooks implements Closeable {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final ObjectReader LINE_READER = JSON.readerFor(BookLine.class);
    private static final ObjectWriter LINE_WRITER = JSON.writerFor(BookLine.class);

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, BookedPayment> byReference = new LinkedHashMap<>();
    private final Map<String, BookedPayment> byId = new HashMap<>();
    private final Map<String, StoredKey> byKey = new HashMap<>();
    private final Idempotency idempotency;
    private final long keyLifetimeMs;
    private final InstantSource clock;
    private final Journal journal;
    private long bookings;
    private long sharedIds;

    private record StoredKey(BookedPayment payment, String fingerprint, String id, long at) {
    }

    /**
     * Opens the books and reads all that is in them.
     *
     * @param file the journal; created when missing
     * @param idempotency what a repeated request does
     * @param keyLifetimeMs milliseconds that a key is remembered; 0 means for ever
     * @param clock the provider's clock
     */
    public SandboxBooks(Path file, Idempotency idempotency, long keyLifetimeMs, InstantSource clock) {
        this.idempotency = idempotency;
        this.keyLifetimeMs = keyLifetimeMs;
        this.clock = clock;
        this.journal = Journal.open(file, this::reapply);
    }

    /** The script that an earlier request of this reference has fixed; empty when the reference is new. */
    public Optional<Script> scriptOf(String reference) {
        lock.lock();
        try {
            return Optional.ofNullable(byReference.get(reference)).map(payment -> payment.script);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Books one received request. What it did is on disk when this returns.
     *
     * @param order the request
     * @param script what to play if the reference is new; an earlier request's script wins
     * @throws java.io.UncheckedIOException when the line could not be written; nothing may be answered then
     */
    public Booking book(PaymentOrder order, Script script) {
        Booking booking;
        long position;
        lock.lock();
        try {
            long now = clock.millis();
            BookedPayment known = byReference.get(order.reference());
            Script played = known == null ? script : known.script;
            Act act = decide(order, known, played, now);
            String id = act == Act.MOVED || act == Act.DECLINED ? nextId(played) : null;
            BookLine line = new BookLine(now, act, order.reference(), order.key(), order.operation(), order.amount(),
                    order.currency(), order.refundOf(), order.fingerprint(), played.toString(), id);
            BookedPayment payment = apply(line);
            position = journal.append(bytes(line));
            payment.position = position;
            booking = booking(act, payment, order, id);
        } finally {
            lock.unlock();
        }
        journal.await(position);
        return booking;
    }

    private Act decide(PaymentOrder order, BookedPayment known, Script script, long now) {
        Execution execution = script.behaviour().execution();
        if (order.redirected()) {
            return Act.MOVED;
        }
        if (idempotency == Idempotency.KEY && order.key() != null && execution != Execution.PAYS_EACH_TIME) {
            StoredKey stored = byKey.get(order.key());
            if (stored != null && (keyLifetimeMs == 0 || now - stored.at() < keyLifetimeMs)) {
                return stored.fingerprint().equals(order.fingerprint()) ? Act.REPLAYED : Act.KEY_REUSED;
            }
        }
        if (idempotency == Idempotency.UNIQUE_NUMBER && known != null && known.booked()) {
            return Act.DUPLICATE_NUMBER;
        }
        if (order.refundOf() != null && execution.moves() && !refundable(order)) {
            return Act.DECLINED;
        }
        return switch (execution) {
            case PAYS, PAYS_AND_STORES_ANSWER, PAYS_EACH_TIME -> Act.MOVED;
            case DECLINES -> Act.DECLINED;
            case LOSES_FIRST -> known == null ? Act.SKIPPED : Act.MOVED;
            case NEVER -> Act.SKIPPED;
        };
    }

    /** A refund is of money that moved, in its currency, and all refunds of it are not more than it. */
    private boolean refundable(PaymentOrder order) {
        BookedPayment paid = byReference.get(order.refundOf());
        return paid != null && !paid.moves.isEmpty() && paid.currency.equals(order.currency())
                && order.amount() <= paid.amount - paid.refunded;
    }

    private String nextId(Script script) {
        return script.behaviour() == Behaviour.SAME_PROVIDER_ID
                ? "sbx_same_%08d".formatted(sharedIds / 2)
                : "sbx_%012d".formatted(bookings + 1);
    }

    private Booking booking(Act act, BookedPayment payment, PaymentOrder order, String id) {
        if (act == Act.REPLAYED) {
            StoredKey stored = byKey.get(order.key());
            return new Booking(act, stored.payment().view(), stored.id(), false);
        }
        return new Booking(act, payment.view(), id, order.redirected());
    }

    private BookedPayment apply(BookLine line) {
        BookedPayment payment = byReference.computeIfAbsent(line.reference(), reference -> new BookedPayment(line));
        payment.received++;
        if (line.act() != Act.MOVED && line.act() != Act.DECLINED) {
            return payment;
        }
        bookings++;
        if (payment.script.behaviour() == Behaviour.SAME_PROVIDER_ID) {
            sharedIds++;
        }
        if (line.act() == Act.MOVED) {
            payment.moves.add(new Move(line.id(), line.at()));
            if (line.refundOf() != null && byReference.containsKey(line.refundOf())) {
                byReference.get(line.refundOf()).refunded += line.amount();
            }
        } else {
            payment.declinedId = line.id();
        }
        if (!payment.booked()) {
            payment.bookedAt = line.at();
        }
        byId.put(line.id(), payment);
        if (line.key() != null) {
            byKey.put(line.key(), new StoredKey(payment, line.fingerprint(), line.id(), line.at()));
        }
        return payment;
    }

    private void reapply(String line) {
        try {
            apply(LINE_READER.readValue(line));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("not a line of these books", e);
        }
    }

    private static byte[] bytes(BookLine line) {
        try {
            return (LINE_WRITER.writeValueAsString(line) + "\n").getBytes(StandardCharsets.UTF_8);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a book line is always JSON", e);
        }
    }

    /** What the books have under that reference, counted as one more query; empty when no request came. */
    public Optional<PaymentView> query(String reference) {
        return queried(byReference, reference);
    }

    /** Like {@link #query}, by the provider's payment id. */
    public Optional<PaymentView> queryById(String id) {
        return queried(byId, id);
    }

    private Optional<PaymentView> queried(Map<String, BookedPayment> index, String word) {
        PaymentView view;
        long position;
        lock.lock();
        try {
            BookedPayment payment = index.get(word);
            if (payment == null) {
                return Optional.empty();
            }
            payment.queries++;
            view = payment.view();
            position = payment.position;
        } finally {
            lock.unlock();
        }
        // Nobody may be told of a payment that a crash could still take back.
        journal.await(position);
        return Optional.of(view);
    }

    /** What the books have under that reference, without a trace; empty when no request came. */
    public Optional<PaymentView> look(String reference) {
        journal.awaitAll();
        lock.lock();
        try {
            return Optional.ofNullable(byReference.get(reference)).map(BookedPayment::view);
        } finally {
            lock.unlock();
        }
    }

    /** Every reference, in the order of their first requests. */
    public List<PaymentView> all() {
        journal.awaitAll();
        lock.lock();
        try {
            return byReference.values().stream().map(BookedPayment::view).toList();
        } finally {
            lock.unlock();
        }
    }

    /** Every movement of money at or after {@code from} and before {@code to} (milliseconds since 1970). */
    public List<SettlementLine> movesBetween(long from, long to) {
        List<SettlementLine> lines = new ArrayList<>();
        lock.lock();
        try {
            for (BookedPayment payment : byReference.values()) {
                for (Move move : payment.moves) {
                    if (move.at() >= from && move.at() < to) {
                        lines.add(new SettlementLine(move.id(), payment.reference, payment.operation, payment.refundOf,
                                payment.amount, payment.currency, move.at()));
                    }
                }
            }
        } finally {
            lock.unlock();
        }
        return lines;
    }

    @Override
    public void close() throws IOException {
        journal.close();
    }
}
