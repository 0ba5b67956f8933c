package org.paymentroutes.security;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.paymentroutes.StartRefusedException;
import org.paymentroutes.payment.SecretFile;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;

/** Makes the users: those configured, or in embedded mode one for each role with one generated password. */
final class Users {

    /** Name of the file in the data folder that holds the generated password. */
    static final String FILE = "credentials";
    private static final List<String> GENERATED = List.of("caller", "viewer", "operator", "approver", "admin");

    private Users() {
    }

    /**
     * @param configured users by name
     * @param embedded   whether the database is the embedded one
     * @param data       the data folder
     * @param oauth2     whether access tokens are accepted too
     * @return the users; empty only with OAuth2
     * @throws StartRefusedException when a user is not usable, or nobody could log in
     */
    static List<UserDetails> of(Map<String, SecurityProperties.User> configured, boolean embedded, Path data, boolean oauth2) {
        List<UserDetails> users = new ArrayList<>();
        configured.forEach((name, user) -> users.add(configured(name, user, embedded)));
        if (users.isEmpty() && embedded) {
            String password = SecretFile.readOrCreate(data.resolve(FILE), () -> {
                byte[] random = new byte[18];
                new SecureRandom().nextBytes(random);
                return Base64.getUrlEncoder().encodeToString(random);
            });
            GENERATED.forEach(name -> users.add(User.withUsername(name).password("{noop}" + password).roles(name).build()));
        }
        if (users.isEmpty() && !oauth2) {
            throw new StartRefusedException("Nobody could log in: found neither payment-routes.security.users nor"
                    + " spring.security.oauth2.resourceserver.jwt.issuer-uri; at least one of them is needed.");
        }
        return users;
    }

    private static UserDetails configured(String name, SecurityProperties.User user, boolean embedded) {
        String option = "Option payment-routes.security.users." + name;
        String password = user.password() == null ? "" : user.password();
        if (password.startsWith("{noop}") ? !embedded : !password.matches("\\{[A-Za-z0-9@-]+\\}.+")) {
            throw new StartRefusedException(option + ".password: found "
                    + (password.isEmpty() ? "nothing" : password.startsWith("{noop}") ? "{noop}" : "a password without {encoding}")
                    + ", allowed is {bcrypt} and a bcrypt hash (for example from: htpasswd -nbBC 10 '' PASSWORD).");
        }
        if (user.roles().isEmpty() || !SecurityProperties.ROLES.containsAll(user.roles())) {
            throw new StartRefusedException(option + ".roles: found " + (user.roles().isEmpty() ? "nothing" : user.roles())
                    + ", allowed are some of " + new TreeSet<>(SecurityProperties.ROLES) + ".");
        }
        return User.withUsername(name).password(password).roles(user.roles().toArray(String[]::new)).build();
    }
}
