package org.paymentroutes.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.paymentroutes.sandbox.SandboxProperties.Idempotency;
import org.paymentroutes.settlement.format.Contracts;
import org.paymentroutes.settlement.format.ControlTotal;
import org.paymentroutes.settlement.format.SettlementRefusedException;

/** The files that the sandbox writes are those that the contracts read, and its faults are seen. */
class SettlementFormatsTest {

    private static final Map<SettlementFormat, String> CONTRACTS = Map.of(SettlementFormat.CSV, "sandbox", SettlementFormat.WECHAT, "wechat-pay",
            SettlementFormat.ALIPAY, "alipay", SettlementFormat.STRIPE, "stripe", SettlementFormat.ADYEN, "adyen", SettlementFormat.CAMT053,
            "bank-camt", SettlementFormat.CAMT054, "bank-camt", SettlementFormat.MT940, "bank-mt940");
    private static final String CHARGE = "0190a1b2c3d4e5f60718293a4b5c6d7e";

    @TempDir
    Path directory;

    private final Instant now = Instant.parse("2026-01-01T06:00:00Z");
    private SandboxBooks books;

    @BeforeEach
    void pay() {
        books = new SandboxBooks(directory.resolve("books"), Idempotency.KEY, 0, (InstantSource) () -> now);
        for (String currency : List.of("CNY", "EUR", "JPY")) {
            order(CHARGE.substring(3) + currency, "CHARGE", 123_456, currency, null);
            order(CHARGE.substring(3) + currency + "2", "CHARGE", 100, currency, null);
            order(CHARGE.substring(3) + currency + "r", "REFUND", 3_456, currency, CHARGE.substring(3) + currency);
        }
    }

    private void order(String reference, String operation, long amount, String currency, String refundOf) {
        Script script = Script.parse("ok");
        books.book(new PaymentOrder(reference, reference, operation, amount, currency, refundOf, reference, script, false), script);
    }

    private byte[] write(SettlementFormat format, SettlementFault fault) throws IOException {
        return Files.readAllBytes(new SettlementFile(books, directory.resolve("out")).write(Instant.parse("2026-01-01T00:00:00Z"),
                Instant.parse("2026-01-02T00:00:00Z"), format, fault));
    }

    private Contracts.Read read(SettlementFormat format, SettlementFault fault) throws IOException {
        return Contracts.read(CONTRACTS.get(format), write(format, fault));
    }

    private static List<ControlTotal> wrong(Contracts.Read read) {
        return read.header().controls().stream().filter(control -> !control.holds()).toList();
    }

    @ParameterizedTest
    @EnumSource(SettlementFormat.class)
    void eachFormatIsReadToTheMinorUnit(SettlementFormat format) throws IOException {
        Contracts.Read read = read(format, SettlementFault.NONE);
        boolean chinese = format == SettlementFormat.WECHAT || format == SettlementFormat.ALIPAY;
        assertThat(read.header().controls()).isNotEmpty().allMatch(ControlTotal::holds);
        assertThat(read.lines()).filteredOn(line -> line.kind().name().matches("PAYMENT|REFUND")).hasSize(chinese ? 3 : 9)
                .extracting(line -> line.amountMinor() + line.currency()).contains("123456CNY", "100CNY", "-3456CNY");
        assertThat(read.lines().stream().filter(line -> line.currency().equals("CNY") && line.kind().name().equals("PAYMENT")).map(line -> line.reference()))
                .contains(CHARGE.substring(3) + "CNY");
        if (!format.name().matches("CAMT.*|MT940")) {
            assertThat(read.lines().get(0).feeMinor()).isEqualTo(1728);
        }
    }

    static Stream<Arguments> formatsAndFaults() {
        return Stream.of(SettlementFormat.values()).flatMap(format -> Stream.of(SettlementFault.values()).map(fault -> Arguments.of(format, fault)));
    }

    @ParameterizedTest
    @MethodSource("formatsAndFaults")
    void faultsAreSeenOrAreTheMatchingsToSee(SettlementFormat format, SettlementFault fault) throws IOException {
        switch (fault) {
            case TRUNCATED, EMPTY -> assertThatThrownBy(() -> read(format, fault)).isInstanceOf(SettlementRefusedException.class);
            case OFF_BY_ONE -> assertThat(wrong(read(format, fault))).isNotEmpty();
            case NO_ROWS -> {
                if (format == SettlementFormat.MT940) {
                    // A file without any message: nothing tells it from one that was lost.
                    assertThatThrownBy(() -> read(format, fault)).isInstanceOf(SettlementRefusedException.class);
                }
                else if (!format.name().startsWith("CAMT")) {
                    assertThat(read(format, fault).lines()).isEmpty();
                }
            }
            default -> assertThat(wrong(read(format, fault))).isEmpty();
        }
    }

    @Test
    void aPeriodIsTold() throws IOException {
        for (SettlementFormat format : List.of(SettlementFormat.CSV, SettlementFormat.ALIPAY, SettlementFormat.CAMT053)) {
            assertThat(read(format, SettlementFault.NONE).header().periodFrom()).as(format.name()).isEqualTo(Instant.parse("2026-01-01T00:00:00Z"));
            assertThat(read(format, SettlementFault.NONE).header().periodTo()).as(format.name()).isEqualTo(Instant.parse("2026-01-02T00:00:00Z"));
        }
    }
}
