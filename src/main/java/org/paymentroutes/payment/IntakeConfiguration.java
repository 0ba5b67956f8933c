package org.paymentroutes.payment;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import org.paymentroutes.StartRefusedException;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The key of the fingerprints: configured, or in embedded mode made once. */
@Configuration(proxyBeanMethods = false)
class IntakeConfiguration {

    private static final int KEY_LENGTH_MIN = 32;

    @Bean
    Fingerprint fingerprint(@Value("${payment-routes.fingerprint-key:}") String key,
            @Value("${payment-routes.embedded.database:false}") boolean embedded,
            @Value("${payment-routes.data:data}") Path data) {
        String secret = key;
        if (key.isEmpty() && embedded) {
            secret = SecretFile.readOrCreate(data.resolve("fingerprint.key"), () -> {
                byte[] random = new byte[KEY_LENGTH_MIN];
                new SecureRandom().nextBytes(random);
                return HexFormat.of().formatHex(random);
            });
        }
        if (secret.length() < KEY_LENGTH_MIN) {
            throw new StartRefusedException("Option payment-routes.fingerprint-key: found "
                    + (secret.isEmpty() ? "nothing" : secret.length() + " characters") + ", allowed is a random secret of at least "
                    + KEY_LENGTH_MIN + " characters, the same on each node and for ever (for example from: openssl rand -hex 32).");
        }
        return new Fingerprint(secret.getBytes(StandardCharsets.UTF_8));
    }
}
