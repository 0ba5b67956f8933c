package org.paymentroutes;

import java.io.ObjectInputFilter;
import java.util.Arrays;
import org.paymentroutes.archive.RestoreApplication;
import org.paymentroutes.provider.ExplainApplication;
import org.paymentroutes.sandbox.SandboxApplication;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/** Starts the application: with nothing configured, the embedded default with its demo; else a deployment. */
@SpringBootApplication
@ConfigurationPropertiesScan
public class PaymentRoutesApplication {

    /**
     * @param args Spring Boot options, for example {@code --demo.exit}; or {@code sandbox} and its options, for the
     *             sandbox provider alone; or {@code --providers.explain}, to print what becomes of UNKNOWN payments;
     *             or {@code --archive.restore=<manifest>}, to print what is in an archive
     */
    public static void main(String[] args) {
        // Nothing here is ever read from a serialised Java object, whoever sends one.
        if (ObjectInputFilter.Config.getSerialFilter() == null) {
            ObjectInputFilter.Config.setSerialFilter(ObjectInputFilter.Config.createFilter("!*"));
        }
        String refusal = CommandLine.refusal(args);
        if (refusal != null) {
            System.err.println(refusal);
            System.exit(2);
        }
        if (args.length > 0 && args[0].equals("sandbox")) {
            SandboxApplication.main(Arrays.copyOfRange(args, 1, args.length));
            return;
        }
        if (CommandLine.explains(args)) {
            ExplainApplication.main(args);
            return;
        }
        if (RestoreApplication.manifest(args).isPresent()) {
            RestoreApplication.main(args);
            return;
        }
        SpringApplication.run(PaymentRoutesApplication.class, args);
    }
}
