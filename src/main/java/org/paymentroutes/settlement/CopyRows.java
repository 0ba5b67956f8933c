package org.paymentroutes.settlement;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import org.paymentroutes.settlement.format.SettlementLine;
import org.postgresql.copy.CopyIn;
import org.postgresql.copy.CopyManager;

/**
 * Writes lines to {@code settlement_line} by COPY, in chunks: memory does not grow with the file, and the schema checks each
 * chunk. All chunks are in the transaction of the connection.
 */
final class CopyRows {

    /** Lines in one COPY. */
    static final int CHUNK = 20_000;

    private static final String COPY = "copy settlement_line (file_id, line_no, kind, reference, reference_truncated,"
            + " provider_payment_id, provider_line_id, amount_minor, currency, fee_minor, net_minor, settle_currency,"
            + " settle_amount_minor, at, batch_id, raw, hints) from stdin";
    private static final int BUFFER = 1 << 16;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final CopyManager manager;
    private final long file;
    private final ByteArrayOutputStream buffer = new ByteArrayOutputStream(BUFFER + 4096);
    private final StringBuilder row = new StringBuilder(512);
    private CopyIn copy;
    private int inChunk;

    CopyRows(CopyManager manager, long file) {
        this.manager = manager;
        this.file = file;
    }

    /**
     * @param line the next line
     * @return whether a chunk is complete with it
     */
    boolean add(SettlementLine line) throws SQLException, IOException {
        row.setLength(0);
        field(Long.toString(file));
        field(Long.toString(line.lineNo()));
        field(line.kind().name());
        field(line.reference());
        field(line.referenceTruncated() ? "t" : "f");
        field(line.providerPaymentId());
        field(line.providerLineId());
        field(Long.toString(line.amountMinor()));
        field(line.currency());
        field(line.feeMinor());
        field(line.netMinor());
        field(line.settleCurrency());
        field(line.settleAmountMinor());
        field(line.at());
        field(line.batchId());
        field(line.raw());
        field(line.hints().isEmpty() ? "{}" : JSON.writeValueAsString(line.hints()));
        row.setCharAt(row.length() - 1, '\n');
        buffer.write(row.toString().getBytes(StandardCharsets.UTF_8));
        if (buffer.size() >= BUFFER) {
            send();
        }
        if (++inChunk < CHUNK) {
            return false;
        }
        end();
        return true;
    }

    /** Ends the chunk that has begun, if any. */
    void end() throws SQLException {
        if (inChunk > 0) {
            send();
            copy.endCopy();
            copy = null;
            inChunk = 0;
        }
    }

    private void send() throws SQLException {
        if (copy == null) {
            copy = manager.copyIn(COPY);
        }
        copy.writeToCopy(buffer.toByteArray(), 0, buffer.size());
        buffer.reset();
    }

    private void field(Object value) {
        if (value == null) {
            row.append("\\N");
        }
        else {
            String text = value.toString();
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                switch (c) {
                    case '\\' -> row.append("\\\\");
                    case '\t' -> row.append("\\t");
                    case '\n' -> row.append("\\n");
                    case '\r' -> row.append("\\r");
                    // PostgreSQL has no text with it.
                    case '\0' -> row.append(' ');
                    default -> row.append(c);
                }
            }
        }
        row.append('\t');
    }
}
