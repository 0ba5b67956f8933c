package org.paymentroutes.provider;

import java.util.List;

/** A contract is unsafe or contradicts itself. The message names file, bean and, for each problem, option, found and allowed. */
public final class ContractRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String file;
    private final String provider;

    /**
     * @param file     where the contract stands; null when it is not from a file
     * @param provider name of the bean
     * @param problems one sentence each, at least one
     */
    ContractRefusedException(String file, String provider, List<String> problems) {
        super((file == null ? "" : "File " + file + ", ") + "provider " + provider + ": " + String.join("; ", problems));
        this.file = file;
        this.provider = provider;
    }

    /** @return where the contract stands; null when it is not from a file */
    String file() {
        return file;
    }

    /** @return name of the refused provider */
    public String provider() {
        return provider;
    }
}
