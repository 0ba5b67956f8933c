package org.paymentroutes.webhook;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * What one event says, by the contract. Texts are as they were written.
 *
 * @param eventId    its id; null when it names none
 * @param word       what happened; null when it names none
 * @param reference  what it names our payment by; null when it names none
 * @param providerId the provider's payment id; null when it names none
 * @param amount     the amount as it is written; null when it names none, not a number when it is not in the contract's form
 * @param currency   the currency code; null when it names none
 * @param reversalId id of the return or chargeback; null when it names none
 * @param json       the whole event, decrypted
 */
record WebhookEvent(String eventId, String word, String reference, String providerId, String amount, String currency,
        String reversalId, JsonNode json) {

    /** @return what it says of a payment, whoever tells it and however often */
    String saying() {
        return word + "|" + reference + "|" + providerId + "|" + amount + "|" + currency + "|" + reversalId;
    }
}
