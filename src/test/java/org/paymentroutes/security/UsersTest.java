package org.paymentroutes.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.paymentroutes.StartRefusedException;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.userdetails.UserDetails;

/** Proves that a deployment has no user by accident, and that the embedded mode keeps its one password. */
class UsersTest {

    private static final String BCRYPT = "{bcrypt}$2a$10$dXJ3SW6G7P50lGmMkkmwe.20cQQubK3.HZWzG3YB1tlRy.fqvM/BG";

    @TempDir
    Path data;

    @Test
    void makesOneUserForEachRoleAndKeepsItsPassword() throws Exception {
        List<UserDetails> users = Users.of(Map.of(), true, data, false);
        String password = Files.readString(data.resolve("credentials")).strip();
        assertThat(users).extracting(UserDetails::getUsername).containsExactlyInAnyOrderElementsOf(SecurityProperties.ROLES);
        assertThat(users).allMatch(user -> user.getPassword().equals("{noop}" + password));
        assertThat(password).hasSizeGreaterThanOrEqualTo(24);
        assertThat(Users.of(Map.of(), true, data, false)).isEqualTo(users);
        assertThat(users.get(0).getAuthorities()).extracting(GrantedAuthority::getAuthority).containsExactly("ROLE_caller");
    }

    @Test
    void refusesADeploymentInWhichNobodyCouldLogIn() {
        assertThatThrownBy(() -> Users.of(Map.of(), false, data, false)).isInstanceOf(StartRefusedException.class)
                .hasMessageContaining("payment-routes.security.users").hasMessageContaining("issuer-uri");
        assertThat(Users.of(Map.of(), false, data, true)).isEmpty();
        assertThat(data.resolve("credentials")).doesNotExist();
    }

    @Test
    void refusesPlainPasswordsInADeploymentWithoutRepeatingThem() {
        for (String password : new String[] {"{noop}secret", "secret", "", null}) {
            assertThatThrownBy(() -> Users.of(Map.of("bob", new SecurityProperties.User(password, Set.of("viewer"))), false, data, false))
                    .isInstanceOf(StartRefusedException.class).hasMessageContaining("users.bob.password")
                    .hasMessageNotContaining("secret").hasMessageContaining("{bcrypt}");
        }
        assertThat(Users.of(Map.of("bob", new SecurityProperties.User(BCRYPT, Set.of("viewer"))), false, data, false)).hasSize(1);
    }

    @Test
    void refusesRolesThatDoNotExist() {
        assertThatThrownBy(() -> Users.of(Map.of("bob", new SecurityProperties.User(BCRYPT, Set.of("root"))), false, data, false))
                .hasMessageContaining("users.bob.roles").hasMessageContaining("[root]").hasMessageContaining("operator");
        assertThatThrownBy(() -> Users.of(Map.of("bob", new SecurityProperties.User(BCRYPT, Set.of())), false, data, false))
                .hasMessageContaining("users.bob.roles");
    }

    @Test
    void takesOnlyRolesOfOursFromATokensClaim() {
        assertThat(SecurityConfiguration.roles(Map.of("realm_access", Map.of("roles", List.of("viewer", "root", "ROLE_admin"))),
                "realm_access.roles")).extracting(GrantedAuthority::getAuthority).containsExactly("ROLE_viewer");
        assertThat(SecurityConfiguration.roles(Map.of("roles", "viewer"), "roles")).isEmpty();
        assertThat(SecurityConfiguration.roles(Map.of(), "realm_access.roles")).isEmpty();
    }
}
