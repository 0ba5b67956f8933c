package org.paymentroutes.settlement.format;

import java.io.IOException;
import java.io.InputStream;
import java.util.function.Consumer;

/** Reads one settlement file by one provider's contract, in bounded memory whatever its size. */
public interface SettlementReader {

    /**
     * Hands over each line in the order of the file. Lines are worth nothing until this returns: what is wrong may stand in
     * the last byte.
     *
     * @param in    the file's content, unpacked; not closed here
     * @param name  the file's name, for contracts that take the period from it
     * @param lines receives each line
     * @return what the file says about itself
     * @throws SettlementRefusedException when the content is not what the contract describes
     * @throws IOException                when the content cannot be read, which says nothing about it
     */
    SettlementHeader read(InputStream in, String name, Consumer<SettlementLine> lines) throws IOException;
}
