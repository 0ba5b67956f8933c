package org.paymentroutes.settlement.format;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a bank's statements (camt, MT940) mean where the standard leaves it open. */
public final class BankRule {

    /** A line that names more payouts than one is nobody's anyway. */
    private static final int PAYOUTS_MAX = 3;

    private Set<String> messages = new LinkedHashSet<>();
    private Set<String> feeCodes = Set.of();
    private Set<String> returnCodes = Set.of();
    private Set<String> payoutCodes = Set.of();
    private Set<String> ignoredCodes = Set.of();
    private String account;
    private boolean keepText;
    private Pattern payoutReference;

    /** @param text the messages that are read, for example {@code camt.053.001.08, camt.054.001.08} or {@code MT940} */
    public void setMessages(String text) {
        this.messages = Options.words(text);
    }

    /**
     * @param text codes of entries that are fees of the bank: camt {@code domain/family/sub-family} or the bank's own code, with
     *             {@code *} for any part; MT940 transaction type such as {@code NCHG}, or business code such as {@code 808}
     */
    public void setFeeCodes(String text) {
        this.feeCodes = Options.words(text);
    }

    /** @param text codes of entries that are returns, in the same form; reversals are returns anyway */
    public void setReturnCodes(String text) {
        this.returnCodes = Options.words(text);
    }

    /** @param text codes of entries that are payouts of a provider, in the same form */
    public void setPayoutCodes(String text) {
        this.payoutCodes = Options.words(text);
    }

    /** @param text codes of entries that are none of our business, in the same form */
    public void setIgnoredCodes(String text) {
        this.ignoredCodes = Options.words(text);
    }

    /** @param account the account (IBAN or as the bank writes it) that the statement must be of; null for any */
    public void setAccount(String account) {
        this.account = account == null || account.isBlank() ? null : account.replace(" ", "");
    }

    /** @param keepText whether the text that the payer wrote is kept as the hint {@code text}, masked; it is personal data */
    public void setKeepText(boolean keepText) {
        this.keepText = keepText;
    }

    /**
     * @param expression a regular expression that finds the names of a provider's payouts in the text and the references of an
     *                   entry, such as {@code po_[A-Za-z0-9]+}, or {@code batch ([0-9]+)}: then its first group. They are kept as the
     *                   hint {@code payout}, and nothing else of the text; null: only the reference may name a payout
     */
    public void setPayoutReference(String expression) {
        this.payoutReference = expression == null || expression.isBlank() ? null : Pattern.compile(expression);
    }

    /** @return the payouts that the texts name, divided by blanks; null when they name none */
    String payouts(String... texts) {
        Set<String> names = new LinkedHashSet<>();
        for (String text : payoutReference == null ? new String[0] : texts) {
            Matcher found = payoutReference.matcher(text == null ? "" : text);
            while (found.find() && names.size() <= PAYOUTS_MAX) {
                String name = found.groupCount() > 0 ? found.group(1) : found.group();
                if (name != null && !name.isBlank()) {
                    names.add(name.replaceAll("\\s", ""));
                }
            }
        }
        return names.isEmpty() ? null : String.join(" ", names);
    }

    Set<String> messages() {
        return messages;
    }

    String account() {
        return account;
    }

    boolean keepText() {
        return keepText;
    }

    /** @return the kind that the contract gives these codes of an entry, or null */
    SettlementKind kind(Set<String> codes) {
        if (matches(ignoredCodes, codes)) {
            return SettlementKind.IGNORED;
        }
        if (matches(feeCodes, codes)) {
            return SettlementKind.FEE;
        }
        if (matches(returnCodes, codes)) {
            return SettlementKind.RETURN;
        }
        return matches(payoutCodes, codes) ? SettlementKind.PAYOUT : null;
    }

    private static boolean matches(Set<String> rules, Set<String> codes) {
        return rules.stream().anyMatch(rule -> codes.stream().anyMatch(code -> matches(rule, code)));
    }

    private static boolean matches(String rule, String code) {
        String[] wanted = rule.split("/");
        String[] found = code.split("/");
        if (wanted.length != found.length) {
            return false;
        }
        for (int i = 0; i < wanted.length; i++) {
            if (!wanted[i].equals("*") && !wanted[i].equals(found[i])) {
                return false;
            }
        }
        return true;
    }
}
