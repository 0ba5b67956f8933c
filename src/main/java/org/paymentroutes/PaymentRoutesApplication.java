package org.paymentroutes;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/** Starts the application: with nothing configured, the embedded default with its demo; else a deployment. */
@SpringBootApplication
@ConfigurationPropertiesScan
public class PaymentRoutesApplication {

    /**
     * @param args Spring Boot options, for example {@code --demo.exit}
     */
    public static void main(String[] args) {
        SpringApplication.run(PaymentRoutesApplication.class, args);
    }
}
