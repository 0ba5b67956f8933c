package org.paymentroutes.security;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.springframework.security.authentication.AuthenticationProvider;
import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;

/**
 * Checks passwords of HTTP Basic, which come with each request. A bcrypt check takes some 60 ms of one core on purpose,
 * so a success is remembered for a minute as a keyed hash of name and password, under a key that lives as long as the
 * process; the next requests cost one HMAC. Failures are never remembered, and at most two checks run at a time, so that
 * guessing takes at most two cores' worth of time from the payments and is slow.
 */
final class PasswordAuthentication implements AuthenticationProvider {

    private static final long KEEP_NS = Duration.ofMinutes(1).toNanos();
    private static final int ENTRIES_MAX = 1000;
    private static final int CHECKS_MAX = 2;
    private static final long CHECK_WAIT_MS = 2000;

    private final AuthenticationProvider check;
    private final SecretKeySpec key;
    private final Semaphore checks = new Semaphore(CHECKS_MAX);
    private final Map<String, Known> known = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Known> eldest) {
            return size() > ENTRIES_MAX;
        }
    };

    private record Known(Authentication authentication, long since) {
    }

    /** @param check the real check of name and password */
    PasswordAuthentication(AuthenticationProvider check) {
        this.check = check;
        byte[] random = new byte[32];
        new SecureRandom().nextBytes(random);
        this.key = new SecretKeySpec(random, "HmacSHA256");
    }

    @Override
    public Authentication authenticate(Authentication attempt) throws AuthenticationException {
        String digest = digest(attempt.getName(), String.valueOf(attempt.getCredentials()));
        synchronized (known) {
            Known entry = known.get(digest);
            if (entry != null && System.nanoTime() - entry.since < KEEP_NS) {
                return entry.authentication;
            }
        }
        Authentication authentication = limited(attempt);
        synchronized (known) {
            known.remove(digest);
            known.put(digest, new Known(authentication, System.nanoTime()));
        }
        return authentication;
    }

    @Override
    public boolean supports(Class<?> type) {
        return UsernamePasswordAuthenticationToken.class.isAssignableFrom(type);
    }

    private Authentication limited(Authentication attempt) {
        try {
            if (!checks.tryAcquire(CHECK_WAIT_MS, TimeUnit.MILLISECONDS)) {
                throw new AuthenticationServiceException("too many password checks at a time");
            }
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AuthenticationServiceException("interrupted", e);
        }
        try {
            UsernamePasswordAuthenticationToken checked = (UsernamePasswordAuthenticationToken) check.authenticate(attempt);
            checked.eraseCredentials();
            return checked;
        }
        finally {
            checks.release();
        }
    }

    private String digest(String name, String password) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            return HexFormat.of().formatHex(mac.doFinal((name.length() + ":" + name + password).getBytes(StandardCharsets.UTF_8)));
        }
        catch (GeneralSecurityException e) {
            throw new IllegalStateException("HMAC-SHA256 is part of every Java platform", e);
        }
    }
}
