package org.paymentroutes.settlement.format;

/** Finds the reader of a provider's settlement files. */
public interface SettlementReaders {

    /**
     * @param provider name of the provider; its contract is the bean {@code <provider>-settlement}
     * @return the reader
     * @throws IllegalArgumentException when the provider has no settlement contract
     */
    SettlementReader of(String provider);
}
