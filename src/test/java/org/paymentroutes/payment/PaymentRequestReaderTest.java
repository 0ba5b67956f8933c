package org.paymentroutes.payment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What names an obligation has one spelling: two that look alike would be two payments for it. */
class PaymentRequestReaderTest {

    private static PaymentRequest read(String reference) {
        return PaymentRequestReader.read(StrictJson.object("{\"sourceReference\":\"" + reference + "\",\"operation\":\"PAYOUT\","
                + "\"provider\":\"acme\",\"amountMinor\":1,\"currency\":\"EUR\",\"recipient\":\"t\",\"description\":\"Mu\\u0308ller\"}"),
                Map.of("EUR", 2), Map.of("acme", "main"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Mu\\u0308ller", "INV\\u00a01", "INV-1\\u00a0", "INV-1\\u034f", "INV-1\\u3164", "INV-1\\ufe0f", "INV-1\\u115f",
        "INV-1\\udb40\\udd00", "INV\\u20281", "INV\\u200b1"})
    void refusesAReferenceThatLooksLikeAnother(String reference) {
        assertThatThrownBy(() -> read(reference)).isInstanceOfSatisfying(RefusedRequestException.class, refusal ->
                assertThat(refusal.errors()).singleElement().satisfies(error -> assertThat(error.field()).isEqualTo("sourceReference")));
    }

    @Test
    void takesReferencesOfAllScripts() {
        assertThat(read("Müller 2024/7 付款 счёт ١٢").sourceReference()).isEqualTo("Müller 2024/7 付款 счёт ١٢");
    }
}
