package org.paymentroutes.webhook;

import io.micrometer.core.instrument.MeterRegistry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.camel.Exchange;
import org.paymentroutes.payment.TechnicalFailure;
import org.paymentroutes.provider.ProviderContract;
import org.paymentroutes.provider.Providers;
import org.paymentroutes.provider.Redactor;
import org.paymentroutes.provider.Verdict;
import org.paymentroutes.provider.WebhookPolicy;
import org.paymentroutes.provider.WebhookWords.Meaning;
import org.springframework.stereotype.Component;

/**
 * Decides what follows from stored events. It changes nothing itself: the routes record evidence, reversals and effects
 * with what it puts into the variables {@code evidence}, {@code reversals} and {@code effects}. Doing all of it again
 * after a crash changes nothing, because facts are recorded once.
 */
@Component("webhookWork")
public class WebhookWork {

    private static final int FACT_MAX = 300;
    private static final int REASON_MAX = 500;
    private static final int TRIES_MAX = 5;

    private final Providers providers;
    private final EventReader reader;
    private final MeterRegistry registry;

    WebhookWork(Providers providers, WebhookSecrets secrets, MeterRegistry registry) {
        this.providers = providers;
        this.reader = new EventReader(secrets);
        this.registry = registry;
    }

    private record Claimed(Map<String, Object> row, ProviderContract contract, WebhookEvent event) {

        long id() {
            return ((Number) row.get("webhook_id")).longValue();
        }

        String provider() {
            return (String) row.get("provider");
        }
    }

    /** Reads the claimed rows in the body; the body is then the input of {@code webhook-match.sql}. */
    public void read(Exchange exchange) {
        List<Map<String, Object>> rows = exchange.getMessage().getBody(List.class);
        Map<Long, Claimed> claimed = new LinkedHashMap<>();
        List<Map<String, Object>> questions = new ArrayList<>();
        for (Map<String, Object> row : rows) {
            ProviderContract contract = providers.contract((String) row.get("provider"));
            Claimed one = new Claimed(row, contract, reader.read(contract, (byte[]) row.get("body"),
                    (String) row.get("content_type"), ((Number) row.get("item")).intValue()));
            claimed.put(one.id(), one);
            Map<String, Object> question = new LinkedHashMap<>();
            question.put("webhook_id", one.id());
            question.put("provider", one.provider());
            if (one.event() != null) {
                question.put("reference", one.event().reference());
                question.put("provider_payment_id", one.event().providerId());
            }
            question.put("by_source", contract.getWebhook().getReferenceIs() == WebhookPolicy.ReferenceIs.SOURCE_REFERENCE);
            questions.add(question);
        }
        exchange.setVariable("claimed", claimed);
        exchange.getMessage().setBody(questions);
    }

    /** Judges by the rows of {@code webhook-match.sql} in the body. */
    public void judge(Exchange exchange) {
        List<Map<String, Object>> matches = exchange.getMessage().getBody(List.class);
        Map<Long, Claimed> claimed = exchange.getVariable("claimed", Map.class);
        Outcome outcome = new Outcome(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        for (Map<String, Object> match : matches) {
            judge(claimed.get(((Number) match.get("webhook_id")).longValue()), match, outcome);
        }
        exchange.setVariable("evidence", outcome.evidence());
        exchange.setVariable("reversals", outcome.reversals());
        exchange.setVariable("effects", outcome.effects());
    }

    /**
     * What becomes of the event in the variable {@code webhook} that could not be applied: it waits, or people look at it.
     * The body is then the input of {@code webhook-done.sql}.
     */
    public void failed(Exchange exchange) {
        Map<String, Object> row = exchange.getVariable("webhook", Map.class);
        boolean wait = TechnicalFailure.is(exchange.getProperty(Exchange.EXCEPTION_CAUGHT, Throwable.class))
                || ((Number) row.get("tries")).intValue() < TRIES_MAX;
        Outcome outcome = new Outcome(List.of(), List.of(), new ArrayList<>());
        Claimed claimed = new Claimed(row, providers.contract((String) row.get("provider")), null);
        if (wait) {
            effect(outcome, claimed, "WAIT", null, null, "it could not be applied");
        }
        else {
            problem(outcome, claimed, "UNREADABLE", null, "UNREADABLE_WEBHOOK", "it could not be applied after " + TRIES_MAX + " tries");
        }
        exchange.getMessage().setBody(outcome.effects());
    }

    /** Counts the effects that {@code webhook-done.sql} returned. */
    public void counted(List<Map<String, Object>> rows) {
        for (Map<String, Object> row : rows) {
            registry.counter("payment.routes.webhooks", "provider", (String) row.get("provider"),
                    "effect", ((String) row.get("effect")).toLowerCase(Locale.ROOT)).increment();
        }
    }

    private record Outcome(List<Map<String, Object>> evidence, List<Map<String, Object>> reversals, List<Map<String, Object>> effects) {
    }

    private void judge(Claimed claimed, Map<String, Object> match, Outcome outcome) {
        WebhookEvent event = claimed.event();
        String payment = (String) match.get("payment_id");
        if (Boolean.TRUE.equals(claimed.row().get("conflict"))) {
            problem(outcome, claimed, "CONFLICT", payment, "WEBHOOK_CONFLICT",
                    "event " + claimed.row().get("event_id") + " came again with another content");
            return;
        }
        if (event == null || event.word() == null) {
            problem(outcome, claimed, "UNREADABLE", payment, "UNREADABLE_WEBHOOK", event == null
                    ? "the event is signed, and not in the form that the contract speaks of" : "the event names no word");
            return;
        }
        Meaning meaning = claimed.contract().getWebhook().getWords().meaning(event.word(), (String) match.get("operation"));
        if (meaning == Meaning.NOTHING) {
            effect(outcome, claimed, "NOTHING", payment, null, "its word is listed as none that concerns a payment");
        }
        else if (payment == null || ambiguous(match)) {
            waitOrGiveUp(outcome, claimed, payment == null ? "no payment of ours is named by it"
                    : match.get("candidates") + " payments are named by it");
        }
        else if (meaning == null) {
            Map<String, Object> unlisted = evidence(claimed, match, Verdict.AMBIGUOUS, "UNKNOWN", null,
                    "webhook " + word(event) + ": on no list of the contract");
            outcome.evidence().add(unlisted);
            alert(effect(outcome, claimed, "UNLISTED", payment, (String) unlisted.get("fact"), "the word is on no list of the contract"),
                    "UNLISTED_WORD", claimed.provider() + "/" + word(event), "WARNING");
        }
        else if (meaning == Meaning.SUCCEEDED || meaning == Meaning.REJECTED || meaning == Meaning.ACCEPTED) {
            fact(outcome, claimed, match, meaning);
        }
        else {
            reversal(outcome, claimed, match, meaning);
        }
    }

    /** By the caller's reference there may be several: one that is not final, or one with this id of the provider, is meant. */
    private static boolean ambiguous(Map<String, Object> match) {
        boolean one = ((Number) match.get("candidates")).intValue() <= 1;
        String state = (String) match.get("state");
        boolean open = !"SUCCEEDED".equals(state) && !"FAILED".equals(state);
        return !one && !open && match.get("known_id") == null;
    }

    private void fact(Outcome outcome, Claimed claimed, Map<String, Object> match, Meaning meaning) {
        WebhookEvent event = claimed.event();
        String mismatch = mismatch(claimed, match);
        String missing = meaning == Meaning.SUCCEEDED ? missing(claimed) : null;
        Verdict verdict = mismatch != null || missing != null ? Verdict.AMBIGUOUS
                : meaning == Meaning.SUCCEEDED ? Verdict.SUCCEEDED : meaning == Meaning.REJECTED ? Verdict.REJECTED : Verdict.ACCEPTED;
        String next = switch (verdict) {
            case SUCCEEDED -> "SUCCEEDED";
            case REJECTED -> "FAILED";
            case ACCEPTED -> "PROCESSING";
            default -> "UNKNOWN";
        };
        String reason = "webhook " + word(event) + (mismatch != null ? ": about another " + mismatch
                : missing != null ? ": names no " + missing : "");
        Map<String, Object> row = evidence(claimed, match, verdict, next, mismatch, reason);
        outcome.evidence().add(row);
        effect(outcome, claimed, "RECORDED", (String) match.get("payment_id"), (String) row.get("fact"), reason);
    }

    /** Money comes back after a success. Before the success is known here, the event waits for it. */
    private void reversal(Outcome outcome, Claimed claimed, Map<String, Object> match, Meaning meaning) {
        WebhookEvent event = claimed.event();
        String payment = (String) match.get("payment_id");
        if (!"SUCCEEDED".equals(match.get("state"))) {
            waitOrGiveUp(outcome, claimed, "webhook " + word(event) + ", but the payment is " + match.get("state"));
            return;
        }
        long whole = ((Number) match.get("amount_minor")).longValue();
        Long amount = event.amount() == null ? Long.valueOf(whole) : minor(claimed, match);
        if (amount == null || amount <= 0 || amount > whole || event.currency() != null && !event.currency().equals(match.get("currency"))) {
            problem(outcome, claimed, "UNREADABLE", payment, "UNREADABLE_WEBHOOK",
                    "webhook " + word(event) + " names an amount or currency that the payment does not have");
            return;
        }
        // With an id it is the same for whoever tells of it; without one, the same amount is taken for the same reversal.
        String fact = bounded(payment + ":" + meaning + ":" + (event.reversalId() == null ? "webhook:" + amount : event.reversalId()));
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("payment_id", payment);
        row.put("kind", meaning.name());
        row.put("amount_minor", amount);
        row.put("currency", match.get("currency"));
        row.put("provider_reversal_id", event.reversalId());
        row.put("fact", fact);
        row.put("source", "WEBHOOK");
        row.put("reason", "webhook " + word(event));
        row.put("actor", "webhook:" + claimed.provider());
        outcome.reversals().add(row);
        effect(outcome, claimed, "REVERSAL", payment, fact, "webhook " + word(event));
    }

    private void waitOrGiveUp(Outcome outcome, Claimed claimed, String why) {
        long ageMs = ((Number) claimed.row().get("age_ms")).longValue();
        if (ageMs < claimed.contract().getWebhook().getOrphanMs()) {
            effect(outcome, claimed, "WAIT", null, null, why);
        }
        else {
            problem(outcome, claimed, "ORPHAN", null, "ORPHAN_WEBHOOK", why + " after " + ageMs / 1000 + " s");
        }
    }

    private static Map<String, Object> evidence(Claimed claimed, Map<String, Object> match, Verdict verdict, String next, String mismatch,
            String reason) {
        WebhookEvent event = claimed.event();
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("payment_id", match.get("payment_id"));
        row.put("attempt_no", match.get("attempt_no"));
        row.put("provider", claimed.provider());
        row.put("source", "WEBHOOK");
        row.put("verdict", verdict.name());
        row.put("next", next);
        row.put("mismatch", mismatch);
        row.put("provider_payment_id", event.providerId());
        row.put("amount_minor", minor(claimed, match));
        row.put("fact", bounded("webhook:" + event.saying()));
        row.put("code", cut(event.word(), 100));
        row.put("reason", cut(reason, 300));
        row.put("answer", Redactor.json(event.json()));
        row.put("recorded_by", "webhook:" + claimed.provider());
        return row;
    }

    private static String mismatch(Claimed claimed, Map<String, Object> match) {
        WebhookEvent event = claimed.event();
        // A reference that is there and led to no payment, while the provider's id leads to one of ours.
        if (event.reference() != null && !Boolean.TRUE.equals(match.get("by_reference"))) {
            return "reference";
        }
        if (event.currency() != null && !event.currency().equals(match.get("currency"))) {
            return "currency";
        }
        if (event.amount() != null) {
            Long minor = minor(claimed, match);
            if (minor == null || minor != ((Number) match.get("amount_minor")).longValue()) {
                return "amount";
            }
        }
        return null;
    }

    private static String missing(Claimed claimed) {
        WebhookEvent event = claimed.event();
        var fields = claimed.contract().getWebhook().getFields();
        if (fields.getAmount() != null && event.amount() == null) {
            return "amount";
        }
        if (fields.getCurrency() != null && event.currency() == null) {
            return "currency";
        }
        return fields.getId() != null && event.providerId() == null ? "provider payment id" : null;
    }

    /** @return our minor units; null when it names no amount or none that is exact in the payment's currency */
    private static Long minor(Claimed claimed, Map<String, Object> match) {
        String amount = claimed.event().amount();
        if (amount == null || amount.equals(EventReader.NOT_EXACT)) {
            return null;
        }
        Long minor = claimed.contract().getAmounts().fromWire(amount, (String) match.get("currency"),
                ((Number) match.get("exponent")).intValue());
        return minor == null || minor < 0 ? null : minor;
    }

    private void problem(Outcome outcome, Claimed claimed, String effect, String payment, String alert, String reason) {
        Map<String, Object> row = effect(outcome, claimed, effect, payment, null, reason);
        row.put("opens_case", true);
        alert(row, alert, "webhook:" + claimed.id(), "WARNING");
    }

    private Map<String, Object> effect(Outcome outcome, Claimed claimed, String effect, String payment, String fact, String reason) {
        Map<String, Object> row = new HashMap<>();
        row.put("webhook_id", claimed.id());
        row.put("effect", effect);
        row.put("payment_id", payment);
        row.put("fact", fact);
        row.put("word", claimed.event() == null || claimed.event().word() == null ? null : word(claimed.event()));
        row.put("reason", cut(reason, REASON_MAX));
        row.put("decided_by", providers.node());
        row.put("opens_case", false);
        outcome.effects().add(row);
        return row;
    }

    private static void alert(Map<String, Object> effect, String kind, String subject, String severity) {
        effect.put("alert", kind);
        effect.put("alert_subject", subject);
        effect.put("severity", severity);
    }

    /** @return the word, fit to be shown */
    private static String word(WebhookEvent event) {
        return cut(event.word().replaceAll("\\p{Cntrl}", "?"), 100);
    }

    private static String bounded(String fact) {
        return fact.length() <= FACT_MAX ? fact
                : "webhook:sha256:" + HexFormat.of().formatHex(Hmac.digest("SHA-256", fact.getBytes(StandardCharsets.UTF_8)));
    }

    private static String cut(String text, int length) {
        return text.length() <= length ? text : text.substring(0, length);
    }
}
