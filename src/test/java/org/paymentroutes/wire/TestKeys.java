package org.paymentroutes.wire;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.apache.camel.support.jsse.KeyStoreParameters;
import org.apache.camel.support.jsse.SSLContextParameters;
import org.apache.camel.support.jsse.TrustManagersParameters;

/** A key for the loopback address, made by the JDK's keytool when a test needs it. */
public final class TestKeys {

    private static final String PASSWORD = "changeit";

    private final Path store;

    private TestKeys(Path store) {
        this.store = store;
    }

    /** @return a new self-signed key in the given folder */
    public static TestKeys create(Path folder) throws IOException, InterruptedException {
        Path store = folder.resolve("server.p12");
        Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair", "-alias", "server", "-keyalg", "RSA", "-keysize", "2048", "-validity", "2",
                "-dname", "CN=localhost", "-ext", "SAN=dns:localhost,ip:127.0.0.1", "-storetype", "PKCS12",
                "-keystore", store.toString(), "-storepass", PASSWORD)
                .redirectErrorStream(true).redirectOutput(folder.resolve("keytool.log").toFile()).start();
        if (keytool.waitFor() != 0) {
            throw new IOException(Files.readString(folder.resolve("keytool.log")));
        }
        return new TestKeys(store);
    }

    /** @return the server's side */
    public SSLContext server() throws GeneralSecurityException, IOException {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }

    /** @return a client's side that trusts this key and no other */
    public SSLContextParameters client() {
        KeyStoreParameters keys = new KeyStoreParameters();
        keys.setResource("file:" + store);
        keys.setPassword(PASSWORD);
        keys.setType("PKCS12");
        TrustManagersParameters trust = new TrustManagersParameters();
        trust.setKeyStore(keys);
        SSLContextParameters parameters = new SSLContextParameters();
        parameters.setTrustManagers(trust);
        return parameters;
    }
}
