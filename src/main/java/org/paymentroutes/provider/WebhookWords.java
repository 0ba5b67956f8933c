package org.paymentroutes.provider;

/**
 * Which words of a provider's webhooks say what: lists of words, compared to the letter. {@code booked @PAYOUT} is for
 * one operation only, because the same word can be final for a charge and not for a payout. What is on no list says
 * nothing: the state stays, and somebody is told once.
 */
public final class WebhookWords {

    /** What a word says. */
    public enum Meaning {
        /** The money moved. */
        SUCCEEDED,
        /** It did not and will not. */
        REJECTED,
        /** The provider has it and is not done. */
        ACCEPTED,
        /** Money of a payout or refund came back after it had succeeded. */
        RETURN,
        /** The payer took a charge back. */
        CHARGEBACK,
        /** A chargeback was won: the money is ours again. */
        CHARGEBACK_REVERSED,
        /** A refund that had succeeded was given back to us. */
        REFUND_FAILED,
        /** It says nothing about a payment. */
        NOTHING
    }

    private final WordLists<Meaning> lists = new WordLists<>(Meaning.class);

    /** @param words the money moved */
    public void setSucceeded(String words) {
        put(Meaning.SUCCEEDED, "succeeded", words);
    }

    /** @param words it did not move and will not */
    public void setRejected(String words) {
        put(Meaning.REJECTED, "rejected", words);
    }

    /** @param words in progress */
    public void setAccepted(String words) {
        put(Meaning.ACCEPTED, "accepted", words);
    }

    /** @param words money came back after a success */
    public void setReturned(String words) {
        put(Meaning.RETURN, "returned", words);
    }

    /** @param words the payer took it back */
    public void setChargeback(String words) {
        put(Meaning.CHARGEBACK, "chargeback", words);
    }

    /** @param words a chargeback was won */
    public void setChargebackReversed(String words) {
        put(Meaning.CHARGEBACK_REVERSED, "chargebackReversed", words);
    }

    /** @param words a refund came back to us */
    public void setRefundFailed(String words) {
        put(Meaning.REFUND_FAILED, "refundFailed", words);
    }

    /** @param words known, and nothing that concerns a payment */
    public void setIgnored(String words) {
        put(Meaning.NOTHING, "ignored", words);
    }

    private void put(Meaning meaning, String option, String words) {
        lists.put(meaning, "webhook.words." + option, words, WebhookWords::isEntry,
                "'<word>' or '<word> @CHARGE', '@PAYOUT', '@REFUND'");
    }

    private static boolean isEntry(String text) {
        return !text.isEmpty() && (!text.contains(" @") || text.matches(".+ @(CHARGE|PAYOUT|REFUND)"));
    }

    /**
     * @param word      what the webhook says
     * @param operation of the payment; null when there is none
     * @return what it means, by the entry for this operation first; null when it is on no list
     */
    public Meaning meaning(String word, String operation) {
        Meaning found = operation == null ? null : lists.meaning(word + " @" + operation);
        return found != null ? found : lists.meaning(word);
    }

    /** @return whether any word says this */
    public boolean names(Meaning meaning) {
        return !lists.entries(meaning).isEmpty();
    }

    @Override
    public String toString() {
        return lists.toString();
    }
}
