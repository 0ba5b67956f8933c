package org.paymentroutes.provider;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The recovery plans without a running application: no database, no broker, no route. */
class ExplainApplicationTest {

    private static final String CONTRACT = """
            - beans:
                - name: %s
                  type: org.paymentroutes.provider.ProviderContract
                  properties:
                    account: main
                    send.workers: "{{providers.test.workers}}"
                    submitAnswers.succeeded: 200 PAID
                    queryAnswers.succeeded: 200 PAID
                    queryAnswers.notFound: 404 none
                    key.header: ""
                    resend.sameKey: true
                    resend.serverErrorsReplayed: %s
                    resend.keyLifetimeMs: 86400000
                    resend.keyMarginMs: 8640000
                    resend.retryCodes: daily_limit
                    refund.resend.sameKey: false
                    refund.resend.max: 0
                    refund.resend.retryCodes: ""
                    refund.resend.retryMax: 0
                    query.retentionMs: 2592000000
                - name: %s-request
                  type: org.paymentroutes.provider.RequestTemplate
                  properties:
                    template: '{"number": "$key"}'
            """;

    @TempDir
    Path folder;

    private String[] arguments() {
        return new String[] {ExplainApplication.OPTION, "--payment-routes.provider-routes=file:" + folder + "/*.camel.yaml",
            "--providers.test.workers=4", "--spring.datasource.url=jdbc:postgresql://127.0.0.1:9/nobody"};
    }

    private void file(String name, boolean replayed) throws IOException {
        Files.writeString(folder.resolve(name + ".camel.yaml"), CONTRACT.formatted(name, replayed, name));
    }

    @Test
    void thePlanSaysWhatHappensWhenAndOnWhichProof() throws IOException {
        file("acme", true);
        List<String> refusals = new ArrayList<>();
        String plan = ExplainApplication.explain(refusals, arguments());
        assertThat(refusals).isEmpty();
        assertThat(plan.replaceAll("\\n\\s+\\| ", " ").replaceAll(" +", " ")).contains("Provider acme, account main, " + folder + "/acme.camel.yaml",
                "CHARGE, PAYOUT | may always be repeated (ALWAYS)",
                "after 2 min | asked by our reference, then again after 2 min, 5 min, 15 min (the last one repeats, each varied by up to 20 %)",
                "until 21 h 36 min | when a query does not find it: sent again under the same key, at most 3 times (permit SAME_KEY: key remembered for 1 d, less a margin of 2 h 24 min)",
                "1 min after a refusal | refused with daily_limit: tried again under a new key, at most once (permit RETRY_AFTER_REJECTION)",
                "people | after 30 min and 3 inconclusive answers",
                "provider forgets | the query after 30 d; the key after 1 d",
                "sent again? | yes, by the provider's promise about the key, or by a listed refusal; also after a request that provably",
                "REFUND | may never be repeated (NEVER)",
                "sent again? | not by automation, but for a request that provably did not arrive");
        assertThat(plan.lines()).allMatch(line -> line.length() <= 150);
    }

    @Test
    void aRefusedContractIsToldAndTheOthersAreExplained() throws IOException {
        file("acme", true);
        file("bad", false);
        Files.writeString(folder.resolve("worse.camel.yaml"), "- a: [\n");
        Files.writeString(folder.resolve("zz.camel.yaml"), CONTRACT.formatted("zz", true, "zz")
                + "- templatedRoute:\n    routeTemplateRef: provider-http\n    parameters:\n      - name: deadlinMs\n        value: 1\n"
                + "- templatedRoute:\n    routeTemplateRef: qery\n");
        Files.writeString(folder.resolve("zzz.camel.yaml"), CONTRACT.formatted("acme", true, "zzz"));
        List<String> refusals = new ArrayList<>();
        assertThat(ExplainApplication.explain(refusals, arguments())).contains("Provider acme").doesNotContain("Provider bad");
        assertThat(refusals).hasSize(4);
        assertThat(refusals.get(0)).startsWith("File " + folder + "/bad.camel.yaml, provider bad: option resend.serverErrorsReplayed: found false");
        assertThat(refusals.get(1)).isEqualTo("File " + folder + "/worse.camel.yaml, provider worse: line 2: expected the node content, but found '<stream end>'");
        long lines = CONTRACT.lines().count();
        assertThat(refusals.get(2)).contains("/zz.camel.yaml, provider zz: line " + (lines + 4) + ": found parameter deadlinMs, template provider-http has answerHeaders,",
                "; line " + (lines + 7) + ": found template qery, which does not exist");
        assertThat(refusals.get(3)).contains("/zzz.camel.yaml, provider acme: bean acme: found in this file and in " + folder + "/acme.camel.yaml");
    }

    @Test
    void aFolderWithoutContractsIsNotWhatWasMeant() {
        List<String> refusals = new ArrayList<>();
        assertThat(ExplainApplication.explain(refusals, arguments())).isEmpty();
        assertThat(refusals).singleElement().asString().contains("payment-routes.provider-routes", "no file");
    }
}
