package org.paymentroutes.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.authentication.dao.DaoAuthenticationProvider;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;

/** Proves that bcrypt does not limit the requests of a user who is known, and that only the right password is. */
class PasswordAuthenticationTest {

    private final PasswordAuthentication passwords = passwords();

    @Test
    void checksAThousandRequestsOfOneUserInLessThanASecond() {
        assertThat(login("right").isAuthenticated()).isTrue();
        long start = System.nanoTime();
        for (int i = 0; i < 1000; i++) {
            assertThat(login("right").getName()).isEqualTo("bob");
        }
        // A thousand bcrypt checks of cost 10 take about a minute.
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void refusesEveryOtherPasswordAlsoAfterTheRightOne() {
        login("right");
        for (String wrong : new String[] {"Right", "right ", "", "b:right"}) {
            assertThatThrownBy(() -> login(wrong)).isInstanceOf(BadCredentialsException.class);
        }
    }

    @Test
    void keepsNoPassword() {
        assertThat(login("right").getCredentials()).isNull();
    }

    private Authentication login(String password) {
        return passwords.authenticate(UsernamePasswordAuthenticationToken.unauthenticated("bob", password));
    }

    private static PasswordAuthentication passwords() {
        BCryptPasswordEncoder bcrypt = new BCryptPasswordEncoder(10);
        DaoAuthenticationProvider check = new DaoAuthenticationProvider(new InMemoryUserDetailsManager(
                User.withUsername("bob").password(bcrypt.encode("right")).roles("caller").build()));
        check.setPasswordEncoder(bcrypt);
        return new PasswordAuthentication(check);
    }
}
