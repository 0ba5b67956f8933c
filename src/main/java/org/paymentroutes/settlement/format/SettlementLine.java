package org.paymentroutes.settlement.format;

import java.time.Instant;
import java.util.Map;

/**
 * One line of a settlement file in our words. {@code net = settled amount - fee} when the file is right; the reader hands
 * the numbers on as the file tells them and does not judge that.
 *
 * @param lineNo             where a person finds it: the line of a text file, the ordinal of a record in XML; unique and
 *                           ascending within the file
 * @param kind               what it is about
 * @param reference          our reference as the file has it; null when there is none
 * @param referenceTruncated whether the format may have cut the reference: then it proves nothing alone
 * @param providerPaymentId  the provider's id of the payment; null when there is none
 * @param providerLineId     the provider's id of this movement; null when the format has none
 * @param amountMinor        minor units of {@code currency}, before fees, signed from our view: money to us is positive
 * @param currency           ISO 4217 code
 * @param feeMinor           minor units of {@code settleCurrency}; what we pay is positive; null when the file does not tell
 * @param netMinor           minor units of {@code settleCurrency}, signed as the amount; null when the file does not tell
 * @param settleCurrency     the currency of the account where the money arrives; the same as {@code currency} when nothing
 *                           was converted
 * @param settleAmountMinor  the amount in {@code settleCurrency}, before fees; null when the file does not tell
 * @param at                 when it happened, by the file; null when the file does not tell
 * @param batchId            the payout or bank entry it belongs to; null when there is none
 * @param raw                what the file says, redacted, at most {@value SettlementLine#RAW_MAX} characters
 * @param hints              what else helps people or rules, by name, short texts; never null
 */
public record SettlementLine(
        long lineNo,
        SettlementKind kind,
        String reference,
        boolean referenceTruncated,
        String providerPaymentId,
        String providerLineId,
        long amountMinor,
        String currency,
        Long feeMinor,
        Long netMinor,
        String settleCurrency,
        Long settleAmountMinor,
        Instant at,
        String batchId,
        String raw,
        Map<String, String> hints) {

    /** Longest copy of a line that is kept. */
    public static final int RAW_MAX = 1000;
}
