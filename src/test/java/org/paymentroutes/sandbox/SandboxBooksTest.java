package org.paymentroutes.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.paymentroutes.sandbox.SandboxProperties.Idempotency;

/** The books survive what a process does not. */
class SandboxBooksTest {

    @TempDir
    Path directory;
    private Path file;
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");

    @BeforeEach
    void nameTheFile() {
        file = directory.resolve("books.ndjson");
    }

    @Test
    void aReopenKnowsEverythingThatWasAnswered() throws IOException {
        List<PaymentView> before;
        try (SandboxBooks books = open(0)) {
            pay(books, "a", "close_paid");
            pay(books, "a", "close_paid");
            pay(books, "b", "declined_200");
            pay(books, "c", "close_unpaid");
            before = books.all();
        }
        try (SandboxBooks books = open(0)) {
            assertThat(books.all()).isEqualTo(before);
            assertThat(pay(books, "a", "ok").act()).isEqualTo(Act.REPLAYED);
            assertThat(pay(books, "c", "ok").act()).isEqualTo(Act.MOVED);
            assertThat(books.look("c").orElseThrow().ids()).containsExactly("sbx_000000000003");
            assertThat(books.queryById("sbx_000000000001").orElseThrow().reference()).isEqualTo("a");
        }
    }

    @Test
    void aTornLastLineIsCutOffAndTheNextOneIsWhole() throws IOException {
        try (SandboxBooks books = open(0)) {
            pay(books, "a", "ok");
        }
        Files.writeString(file, "{\"at\":1,\"act\":\"MOV", StandardOpenOption.APPEND);
        try (SandboxBooks books = open(0)) {
            assertThat(books.all()).hasSize(1);
            pay(books, "b", "ok");
        }
        assertThat(Files.readAllLines(file)).hasSize(2).allMatch(line -> line.endsWith("}"));
        try (SandboxBooks books = open(0)) {
            assertThat(books.all()).extracting(PaymentView::reference).containsExactly("a", "b");
        }
    }

    @Test
    void aBrokenLineInTheMiddleIsRefusedByNumber() throws IOException {
        try (SandboxBooks books = open(0)) {
            pay(books, "a", "ok");
        }
        Files.writeString(file, "nonsense\n", StandardOpenOption.APPEND);
        assertThatThrownBy(() -> open(0)).hasMessageContaining("line 2");
    }

    @Test
    void twoSandboxesCannotShareTheirBooks() throws IOException {
        try (SandboxBooks books = open(0)) {
            pay(books, "a", "ok");
            assertThatThrownBy(() -> open(0)).hasMessageContaining("in use");
        }
    }

    @Test
    void aKeyLivesAsLongAsItWasPromised() throws IOException {
        try (SandboxBooks books = open(1000)) {
            pay(books, "a", "ok");
            now = now.plusMillis(999);
            assertThat(pay(books, "a", "ok").act()).isEqualTo(Act.REPLAYED);
            now = now.plusMillis(1);
            assertThat(pay(books, "a", "ok").act()).isEqualTo(Act.MOVED);
            now = now.plusMillis(999);
            assertThat(pay(books, "a", "ok").act()).isEqualTo(Act.REPLAYED);
        }
    }

    @Test
    void theRecipientIsNotInTheBooks() throws IOException {
        try (SandboxBooks books = open(0)) {
            byte[] body = Wire.order("a", 1, "ok").replace("\"r\"", "\"Jane Doe\"").getBytes();
            books.book(OrderReader.read(body, "a", false), Script.parse("ok"));
        }
        assertThat(Files.readString(file)).contains("\"reference\":\"a\"").doesNotContain("Jane");
    }

    @Test
    void theSettlementFileHasALineForEachMoveAndATotal() throws IOException {
        try (SandboxBooks books = open(0)) {
            pay(books, "a", "close_paid");
            pay(books, "b", "declined_200");
            pay(books, "f", "flaky");
            pay(books, "f", "flaky");
            Path settlement = write(books, now.plusMillis(1));
            assertThat(Files.readAllLines(settlement)).containsExactly("#period,1970-01-01T00:00:00Z,2026-01-01T00:00:00.001Z",
                    "id,reference,kind,original,amount,currency,fee,net,booked_at",
                    "sbx_000000000001,a,CHARGE,,1234,EUR,17,1217,2026-01-01T00:00:00Z",
                    "sbx_000000000003,f,CHARGE,,1234,EUR,17,1217,2026-01-01T00:00:00Z",
                    "sbx_000000000004,f,CHARGE,,1234,EUR,17,1217,2026-01-01T00:00:00Z",
                    "TOTAL,3,,,3702,EUR,51,3651,2026-01-01T00:00:00.001Z", "#end,3");
            Path none = write(books, now);
            assertThat(Files.readAllLines(none)).hasSize(3);
        }
    }

    private Path write(SandboxBooks books, Instant to) {
        return new SettlementFile(books, directory.resolve("out")).write(Instant.EPOCH, to, SettlementFormat.CSV, SettlementFault.NONE);
    }

    private SandboxBooks open(long keyLifetimeMs) {
        return new SandboxBooks(file, Idempotency.KEY, keyLifetimeMs, (InstantSource) () -> now);
    }

    private static Booking pay(SandboxBooks books, String reference, String behaviour) {
        return books.book(OrderReader.read(Wire.order(reference, 1234, behaviour).getBytes(), reference, false), Script.parse(behaviour));
    }
}
