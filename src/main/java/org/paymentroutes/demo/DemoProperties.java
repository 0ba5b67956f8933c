package org.paymentroutes.demo;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The demo; prefix {@code demo}.
 *
 * @param enabled  whether it runs; on by itself with the embedded database, refused with any other
 * @param payments how many payments it sends
 * @param exit     {@code --demo.exit} or {@code true} ends the application afterwards: status 0 only when no money moved twice and nothing was lost
 * @param waitSeconds how long it waits for all payments to settle, in seconds
 */
@ConfigurationProperties("demo")
public record DemoProperties(
        @DefaultValue("false") boolean enabled,
        @DefaultValue("399") int payments,
        @DefaultValue("false") String exit,
        @DefaultValue("120") int waitSeconds) {

    /** @return whether the application ends after the demo */
    boolean exits() {
        return !"false".equals(exit);
    }
}
