package org.paymentroutes.settlement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Options of a policy that contradict each other are refused with their name. */
class SettlementPolicyTest {

    @Test
    void payoutsArriveAtAnotherProviderAndOnlyWhenMoneyWaitsForThem() {
        SettlementPolicy policy = new SettlementPolicy();
        assertThat(policy.payoutsAtBank("acme")).isNull();
        policy.setPayoutsArriveAt(" bank ");
        assertThat(policy.payoutsAtBank("acme")).isEqualTo("bank");
        assertThatThrownBy(() -> policy.payoutsAtBank("bank")).hasMessageContaining("option payoutsArriveAt");
        policy.setSettles(SettlementPolicy.Settles.LINES);
        assertThatThrownBy(() -> policy.payoutsAtBank("acme")).hasMessageContaining("option payoutsArriveAt");
        policy.setPayoutsArriveAt(" ");
        assertThat(policy.payoutsAtBank("acme")).isNull();
    }
}
