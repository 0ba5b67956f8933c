package org.paymentroutes.sandbox;

/** The JSON of one payment. References, codes and ids hold no character that JSON would need to escape. */
final class PaymentJson {

    private PaymentJson() {
    }

    /** What the provider believes of a booked payment: SUCCEEDED, or DECLINED with a code. */
    static String truth(PaymentView payment, String id) {
        return payment.status() == PaymentView.Status.DECLINED
                ? of(payment, id, "\"DECLINED\",\"code\":\"insufficient_funds\"")
                : of(payment, id, "\"SUCCEEDED\"");
    }

    /** The payment with any status, written as JSON. */
    static String of(PaymentView payment, String id, String statusJson) {
        return of(payment, id, payment.reference(), "\"status\":" + statusJson + ",");
    }

    /** The payment with any reference and any members in place of the status. */
    static String of(PaymentView payment, String id, String reference, String members) {
        Behaviour behaviour = payment.script().behaviour();
        long amount = behaviour == Behaviour.WRONG_AMOUNT_PAID ? payment.amount() + 1 : payment.amount();
        String currency = behaviour == Behaviour.WRONG_CURRENCY_PAID ? other(payment.currency()) : payment.currency();
        return "{\"id\":\"" + id + "\",\"reference\":\"" + reference + "\"," + members + "\"amount\":" + amount
                + ",\"currency\":\"" + currency + "\"}";
    }

    /** An error that names itself. */
    static String error(String code) {
        return "{\"error\":\"" + code + "\"}";
    }

    private static String other(String currency) {
        return currency.equals("USD") ? "EUR" : "USD";
    }
}
