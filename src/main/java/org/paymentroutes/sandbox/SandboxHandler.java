package org.paymentroutes.sandbox;

import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.camel.CamelContext;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePattern;
import org.apache.camel.ProducerTemplate;
import org.apache.camel.StartupListener;

/** Finds out what a request wants; payments and queries are then the routes' work. */
final class SandboxHandler implements Function<HttpRequest, Answer>, StartupListener {

    private static final String BY_ID = "/payments/by-id/";
    private static final String BY_REFERENCE = "/payments/";
    private static final String MONEY = "/_money/";

    private final String authorization;
    private final SandboxBooks books;
    private final SettlementFile settlement;
    private final String webhookKey;
    private final CamelContext camel;
    private final CountDownLatch routesStarted = new CountDownLatch(1);
    private ProducerTemplate template;
    private Endpoint pay;
    private Endpoint query;

    SandboxHandler(SandboxProperties options, SandboxBooks books, SettlementFile settlement, String webhookKey, CamelContext camel) {
        if (options.token().isBlank()) {
            throw new IllegalArgumentException("sandbox.token: found nothing; allowed: any text");
        }
        this.authorization = "Bearer " + options.token();
        this.books = books;
        this.settlement = settlement;
        this.webhookKey = webhookKey;
        this.camel = camel;
        listen();
    }

    private void listen() {
        try {
            camel.addStartupListener(this);
        } catch (Exception e) {
            throw new IllegalStateException("Camel takes no start-up listener", e);
        }
    }

    @Override
    public void onCamelContextStarted(CamelContext context, boolean alreadyStarted) {
        if (alreadyStarted) {
            open();
        }
    }

    @Override
    public void onCamelContextFullyStarted(CamelContext context, boolean alreadyStarted) {
        open();
    }

    /** Not in the constructor: asking Camel for a template would start it before it has its routes. */
    private void open() {
        template = camel.createProducerTemplate();
        pay = camel.getEndpoint("direct:sandbox-books-pay");
        query = camel.getEndpoint("direct:sandbox-books-query");
        routesStarted.countDown();
    }

    @Override
    public Answer apply(HttpRequest request) {
        String path = request.path();
        boolean get = request.method().equals("GET");
        boolean post = request.method().equals("POST");
        if (path.equals("/_money") && get) {
            return Answer.json(200, MoneyReport.all(books.all()));
        }
        if (path.startsWith(MONEY) && get) {
            return books.look(path.substring(MONEY.length())).map(payment -> Answer.json(200, MoneyReport.one(payment)))
                    .orElseGet(QueryAnswer::notFound);
        }
        if (path.equals("/_behaviours") && get) {
            return Answer.json(200, MoneyReport.behaviours());
        }
        if (path.equals("/_webhook-key") && get) {
            return Answer.json(200, "{\"id\":\"" + WebhookSigner.KEY_ID + "\",\"pem\":\"" + webhookKey.replace("\n", "\\n") + "\"}");
        }
        // Behind a redirect no credentials are asked for: whoever follows it has lost already.
        if (path.equals("/redirected")) {
            return redirected(request, post);
        }
        if (!authorization.equals(request.header("authorization"))) {
            return Answer.json(401, PaymentJson.error("unauthorized")).withHeader("WWW-Authenticate: Bearer");
        }
        if (path.equals("/payments") && post) {
            return pay(OrderReader.read(request.body(), request.header("idempotency-key"), false));
        }
        if (path.startsWith(BY_ID) && get) {
            return query(new PaymentQuery(path.substring(BY_ID.length()), true));
        }
        if (path.startsWith(BY_REFERENCE) && get) {
            return query(new PaymentQuery(path.substring(BY_REFERENCE.length()), false));
        }
        return path.equals("/_settlement") && post ? settle(request) : QueryAnswer.notFound();
    }

    private Answer redirected(HttpRequest request, boolean post) {
        if (post) {
            return pay(OrderReader.read(request.body(), null, true));
        }
        return Answer.json(200, "{\"reference\":\"" + OrderReader.reference(request.parameter("reference")) + "\",\"status\":\"SUCCEEDED\"}");
    }

    private Answer settle(HttpRequest request) {
        String from = request.parameter("from");
        String to = request.parameter("to");
        Instant end = to == null ? Instant.now().plusMillis(1) : Instant.ofEpochMilli(Long.parseLong(to));
        Instant start = from == null ? Instant.EPOCH : Instant.ofEpochMilli(Long.parseLong(from));
        SettlementFormat format = word(SettlementFormat.class, request.parameter("format"), SettlementFormat.CSV);
        SettlementFault fault = word(SettlementFault.class, request.parameter("fault"), SettlementFault.NONE);
        return Answer.json(201, "{\"file\":\"" + settlement.write(start, end, format, fault).getFileName() + "\"}");
    }

    private static <E extends Enum<E>> E word(Class<E> words, String text, E otherwise) {
        return text == null ? otherwise : Enum.valueOf(words, text.toUpperCase(Locale.ROOT));
    }

    private Answer pay(PaymentOrder order) {
        awaitRoutes();
        return ask(pay, order);
    }

    private Answer query(PaymentQuery question) {
        awaitRoutes();
        return ask(query, question);
    }

    private Answer ask(Endpoint route, Object body) {
        Exchange exchange = template.send(route, ExchangePattern.InOut, message -> message.getMessage().setBody(body));
        if (exchange.getException() != null) {
            throw new IllegalStateException("a sandbox route failed", exchange.getException());
        }
        return exchange.getMessage().getBody(Answer.class);
    }

    /** The port is open before the routes are, so that its address can be part of their configuration. */
    private void awaitRoutes() {
        try {
            if (!routesStarted.await(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the sandbox routes of " + camel.getName() + " did not start in 60 s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the sandbox is stopping", e);
        }
    }
}
