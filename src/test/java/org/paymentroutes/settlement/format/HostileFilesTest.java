package org.paymentroutes.settlement.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.paymentroutes.settlement.format.Contracts.Read;

/** Files that were cut, changed or made to hurt. */
class HostileFilesTest {

    private static final int MUTATIONS = 1000;

    static Stream<Arguments> files() {
        return Stream.of(Arguments.of("wechat-pay", "wechat_tradebill_ALL_utf8bom.csv"), Arguments.of("wechat-pay", "wechat_tradebill_SUCCESS.csv"),
                Arguments.of("alipay", "alipay_business_detail_gbk.csv"), Arguments.of("alipay", "alipay_business_detail_EMPTY_gbk.csv"),
                Arguments.of("stripe", "stripe_payout_reconciliation_itemized.csv"),
                Arguments.of("adyen", "adyen_settlement_detail_report_batch_118.csv"), Arguments.of("bank-camt", "camt053_v08.xml"),
                Arguments.of("bank-camt", "camt054_v04.xml"), Arguments.of("bank-mt940", "mt940.sta"),
                Arguments.of("bank-camt", "camt053_v02.xml"), Arguments.of("bank-mt940", "mt942.sta"),
                Arguments.of("plain-csv", "plain_trailing_summary.csv"), Arguments.of("plain-csv", "plain_ok.csv"));
    }

    @ParameterizedTest
    @MethodSource("files")
    void aFileThatIsCutAnywhereIsNeverTakenForAWholeOne(String contract, String file) {
        byte[] content = Contracts.bytes(file);
        List<SettlementLine> whole = Contracts.read(contract, content).lines();
        // Elements of XML are longer than cells.
        int step = contract.equals("bank-camt") ? 11 : 1;
        for (int length = 0; length < content.length; length += step) {
            Read read;
            try {
                read = Contracts.read(contract, Arrays.copyOf(content, length));
            }
            catch (SettlementRefusedException e) {
                continue;
            }
            boolean proven = !read.header().controls().isEmpty() && read.header().controls().stream().allMatch(ControlTotal::holds);
            if (proven) {
                assertThat(read.lines()).as("cut at %d of %d", length, content.length).isEqualTo(whole);
            }
            else {
                // Without any total nothing proves the end, but no line may differ from what was written.
                assertThat(read.lines()).as("cut at %d of %d", length, content.length).isEqualTo(whole.subList(0, read.lines().size()));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void aChangedFileIsReadOrRefusedAndNothingElse(String contract, String file) {
        byte[] content = Contracts.bytes(file);
        Random random = new Random(20261023);
        int refused = 0;
        for (int i = 0; i < MUTATIONS; i++) {
            byte[] changed = mutated(content, random);
            try {
                assertThat(Contracts.read(contract, changed).lines()).allSatisfy(line -> {
                    assertThat(line.raw().length()).isLessThanOrEqualTo(SettlementLine.RAW_MAX);
                    assertThat(line.lineNo()).isPositive();
                    assertThat(line.toString()).doesNotContain("\0");
                });
            }
            catch (SettlementRefusedException e) {
                assertThat(e.getMessage()).endsWith(".").hasSizeLessThan(2000).doesNotContain("\n", "\0");
                refused++;
            }
        }
        assertThat(refused).isPositive();
    }

    private static byte[] mutated(byte[] content, Random random) {
        byte[] changed = content.clone();
        for (int n = random.nextInt(3); n >= 0; n--) {
            int at = random.nextInt(changed.length);
            int to = Math.min(changed.length, at + 1 + random.nextInt(40));
            switch (random.nextInt(6)) {
                case 0 -> changed[at] = (byte) random.nextInt(256);
                case 1 -> changed[at] = (byte) "\"',;:{}<>&/\\-#`\t\r\n\0019.?+=".charAt(random.nextInt(24));
                case 2 -> changed = joined(Arrays.copyOf(changed, at), Arrays.copyOfRange(changed, to, changed.length));
                case 3 -> changed = joined(Arrays.copyOf(changed, to), Arrays.copyOfRange(changed, at, changed.length));
                case 4 -> {
                    int other = random.nextInt(changed.length);
                    changed = joined(Arrays.copyOf(changed, at), joined(Arrays.copyOfRange(changed, other, Math.min(changed.length, other + 20)),
                            Arrays.copyOfRange(changed, at, changed.length)));
                }
                default -> changed = joined(Arrays.copyOf(changed, at), joined("99999999999999999".getBytes(StandardCharsets.US_ASCII),
                        Arrays.copyOfRange(changed, at, changed.length)));
            }
            if (changed.length == 0) {
                return content;
            }
        }
        return changed;
    }

    private static byte[] joined(byte[] a, byte[] b) {
        byte[] all = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, all, a.length, b.length);
        return all;
    }

    @Test
    void somethingWithoutAnEndIsRefusedEarly() {
        String plain = "merchant_ref,provider_txn_id,type,currency,gross,fee,net,settled_at\n";
        String camt = new String(Contracts.bytes("camt053_v08.xml"), StandardCharsets.UTF_8);
        refusedEarly("plain-csv", "", "a");
        refusedEarly("plain-csv", plain + "\"", "a\n");
        refusedEarly("plain-csv", plain, ",");
        refusedEarly("alipay", "#", "a");
        refusedEarly("bank-mt940", ":20:", "a");
        refusedEarly("bank-mt940", ":20:a\n:61:", "a\n");
        refusedEarly("bank-camt", camt.substring(0, camt.indexOf("<NtryRef>") + 9), "a");
        refusedEarly("bank-camt", camt.substring(0, camt.indexOf("<NtryRef>")), "<a>");
        refusedEarly("bank-camt", camt.substring(0, camt.indexOf("<NtryRef>")) + "<a b=\"", "a");
        refusedEarly("bank-camt", camt.substring(0, camt.indexOf("<NtryRef>")) + "<", "a");
        refusedEarly("bank-camt", camt.substring(0, camt.indexOf("<NtryRef>")) + "<!--", "a");
    }

    private static void refusedEarly(String contract, String start, String forEver) {
        byte[] more = forEver.repeat(8192).getBytes(StandardCharsets.UTF_8);
        long[] read = new long[1];
        InputStream endless = new InputStream() {
            @Override
            public int read() {
                throw new UnsupportedOperationException();
            }

            @Override
            public int read(byte[] bytes, int offset, int length) {
                int count = Math.min(length, more.length);
                System.arraycopy(more, 0, bytes, offset, count);
                read[0] += count;
                return count;
            }
        };
        InputStream in = new SequenceInputStream(new ByteArrayInputStream(start.getBytes(StandardCharsets.UTF_8)), endless);
        assertThatThrownBy(() -> Contracts.contract(contract).reader(Contracts.EXPONENTS).read(in, "a-file", line -> { }))
                .as(contract + " " + forEver).isInstanceOf(SettlementRefusedException.class);
        assertThat(read[0]).isLessThan(16L << 20);
    }

    @Test
    void aSourceThatCannotBeReadIsNoVerdictOnTheFile() {
        for (String contract : List.of("plain-csv", "bank-camt", "bank-mt940")) {
            InputStream broken = new InputStream() {
                @Override
                public int read() throws IOException {
                    throw new IOException("disk");
                }
            };
            assertThatThrownBy(() -> Contracts.contract(contract).reader(Contracts.EXPONENTS).read(broken, "a-file", new ArrayList<>()::add))
                    .isInstanceOf(IOException.class).hasMessage("disk");
        }
    }
}
