package org.paymentroutes.security;

import java.util.Map;
import java.util.Set;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Who may use the application.
 *
 * @param users      users of HTTP Basic by name
 * @param rolesClaim claim of an OAuth2 access token that lists the roles
 */
@ConfigurationProperties("payment-routes.security")
public record SecurityProperties(@DefaultValue Map<String, User> users, @DefaultValue("roles") String rolesClaim) {

    /** All roles there are. */
    public static final Set<String> ROLES = Set.of("caller", "viewer", "operator", "approver", "admin");

    /**
     * @param password encoded, for example {@code {bcrypt}$2a$10$…}
     * @param roles    some of {@link #ROLES}
     */
    public record User(String password, @DefaultValue Set<String> roles) {

        /** Shows no password. */
        @Override
        public String toString() {
            return "User[roles=" + roles + "]";
        }
    }
}
