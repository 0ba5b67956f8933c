package org.paymentroutes.settlement.intake;

import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What the file endpoints of the settlement template refer to. */
@Configuration(proxyBeanMethods = false)
class IntakeBeans {

    @Bean
    StableFiles settlementStableFiles(@Value("${payment-routes.settlement.stable}") Duration stable) {
        return new StableFiles(stable);
    }
}
