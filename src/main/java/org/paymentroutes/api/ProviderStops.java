package org.paymentroutes.api;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.camel.ProducerTemplate;
import org.springframework.jmx.export.annotation.ManagedOperation;
import org.springframework.jmx.export.annotation.ManagedOperationParameter;
import org.springframework.jmx.export.annotation.ManagedResource;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.stereotype.Component;

/**
 * Stop and go of providers over JMX, for Hawtio and others, with the same record of who and why as over the API. A stop
 * halts sending; queries, webhooks and settlement go on.
 */
@Component
@ManagedResource(objectName = "org.paymentroutes:type=Providers", description = "Stops and resumes sending to providers")
public class ProviderStops {

    static final String REASON = "why, in 1 to 200 characters";
    static final int OVERRIDE_MINUTES_MAX = 1440;
    private static final int REASON_MAX = 200;
    private static final Set<String> OPERATE = Set.of("ROLE_operator", "ROLE_admin");

    private final ProducerTemplate producer;

    ProviderStops(ProducerTemplate producer) {
        this.producer = producer;
    }

    static boolean isReason(String reason) {
        return reason != null && !reason.isBlank() && reason.length() <= REASON_MAX
                && reason.codePoints().noneMatch(Character::isISOControl);
    }

    static Map<String, Object> parameters(String name, boolean pause, String actor, String reason, int overrideMinutes, int raisePercent) {
        return Map.of("name", name, "paused", pause, "actor", actor, "reason", reason, "overrideMinutes", overrideMinutes,
                "raisePercent", raisePercent);
    }

    /** Halts sending to a provider. */
    @ManagedOperation(description = "Halts sending to a provider. Queries, webhooks and settlement go on.")
    @ManagedOperationParameter(name = "provider", description = "Its name")
    @ManagedOperationParameter(name = "reason", description = "Why, in 1 to 200 characters")
    public String pause(String provider, String reason) {
        return change(provider, true, reason);
    }

    /** Resumes sending to a provider. */
    @ManagedOperation(description = "Resumes sending to a provider")
    @ManagedOperationParameter(name = "provider", description = "Its name")
    @ManagedOperationParameter(name = "reason", description = "Why, in 1 to 200 characters")
    public String resume(String provider, String reason) {
        return change(provider, false, reason);
    }

    private String change(String provider, boolean pause, String reason) {
        String actor = actor();
        if (!isReason(reason)) {
            throw new IllegalArgumentException("reason: allowed is " + REASON);
        }
        List<?> rows = producer.requestBody("direct:provider-stop", parameters(provider, pause, actor, reason, 0, 100), List.class);
        if (rows.isEmpty()) {
            throw new IllegalArgumentException("provider: there is none of this name");
        }
        return provider + (pause ? " is paused by " : " is resumed by ") + actor;
    }

    /** Over HTTP it is who is logged in, and needs the role; whoever can attach to the process is known as jmx. */
    private static String actor() {
        Authentication who = SecurityContextHolder.getContext().getAuthentication();
        if (who == null || who instanceof AnonymousAuthenticationToken) {
            return "jmx";
        }
        if (who.getAuthorities().stream().noneMatch(authority -> OPERATE.contains(authority.getAuthority()))) {
            throw new SecurityException("role operator or admin is needed");
        }
        return who.getName();
    }
}
