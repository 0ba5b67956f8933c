package org.paymentroutes.api;

import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.context.SecurityContextHolder;

/**
 * Who asks, as authenticated: never as the request says.
 *
 * @param name  the principal
 * @param roles its roles, without prefix
 */
record Caller(String name, Set<String> roles) {

    private static final Set<String> SEE_ALL = Set.of("viewer", "operator", "approver", "admin");

    /** @throws IllegalStateException when nobody is logged in, which the security chain does not let through */
    static Caller current() {
        Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
        if (authentication == null) {
            throw new IllegalStateException("no authenticated caller");
        }
        return new Caller(authentication.getName(), authentication.getAuthorities().stream()
                .map(GrantedAuthority::getAuthority)
                .filter(authority -> authority.startsWith("ROLE_"))
                .map(authority -> authority.substring("ROLE_".length()))
                .collect(Collectors.toSet()));
    }

    /** @return whose payments it may see: its own name, or empty for everybody's */
    String scope() {
        return roles.stream().anyMatch(SEE_ALL::contains) ? "" : name;
    }
}
