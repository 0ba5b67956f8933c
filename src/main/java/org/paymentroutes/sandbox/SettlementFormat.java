package org.paymentroutes.sandbox;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/** The formats in which the sandbox writes its books, as the services that they are named after do. */
public enum SettlementFormat {
    /** The sandbox's own. */
    CSV("csv", StandardCharsets.UTF_8, DelimitedSettlement::csv),
    /** WeChat Pay trade bill; charges and refunds in CNY. */
    WECHAT("csv", StandardCharsets.UTF_8, DelimitedSettlement::weChat),
    /** Alipay business detail; charges and refunds in CNY. */
    ALIPAY("csv", Charset.forName("GB18030"), DelimitedSettlement::alipay),
    /** Stripe itemised payout reconciliation. */
    STRIPE("csv", StandardCharsets.UTF_8, DelimitedSettlement::stripe),
    /** Adyen settlement detail. */
    ADYEN("csv", StandardCharsets.UTF_8, DelimitedSettlement::adyen),
    /** ISO 20022 statement, one for each currency. */
    CAMT053("xml", StandardCharsets.UTF_8, BankSettlement::statement),
    /** ISO 20022 notification. */
    CAMT054("xml", StandardCharsets.UTF_8, BankSettlement::notification),
    /** SWIFT statement, one message for each currency. */
    MT940("sta", StandardCharsets.ISO_8859_1, BankSettlement::mt940);

    /** Writes the text of a file. */
    interface Writer {
        String text(SettlementContent content);
    }

    private final String extension;
    private final Charset charset;
    private final Writer writer;

    SettlementFormat(String extension, Charset charset, Writer writer) {
        this.extension = extension;
        this.charset = charset;
        this.writer = writer;
    }

    String extension() {
        return extension;
    }

    byte[] bytes(SettlementContent content) {
        return writer.text(content).getBytes(charset);
    }
}
