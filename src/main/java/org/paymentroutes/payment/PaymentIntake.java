package org.paymentroutes.payment;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.uuid.Generators;
import com.fasterxml.uuid.NoArgGenerator;
import java.util.HashMap;
import java.util.Map;
import org.paymentroutes.payment.StrictJson.Value;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Component;

/** Turns a request into what the intake statement needs. Records nothing itself: the route does, in one statement. */
@Component("paymentIntake")
public class PaymentIntake {

    private static final Logger LOG = LoggerFactory.getLogger(PaymentIntake.class);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final ReferenceData reference;
    private final Fingerprint fingerprint;
    private final ObjectProvider<PaymentRecorded> recorded;
    private final ObjectProvider<RefusedProviders> refused;
    private final NoArgGenerator ids = Generators.timeBasedEpochRandomGenerator();

    PaymentIntake(ReferenceData reference, Fingerprint fingerprint, ObjectProvider<PaymentRecorded> recorded,
            ObjectProvider<RefusedProviders> refused) {
        this.reference = reference;
        this.fingerprint = fingerprint;
        this.recorded = recorded;
        this.refused = refused;
    }

    /**
     * @param fields the request as it was sent
     * @return the checked request
     * @throws RefusedRequestException  with everything that is wrong with it
     * @throws ProviderRefusedException when nothing is wrong with it, but the contract of its provider is refused
     */
    public PaymentRequest check(Map<String, Value> fields) {
        Value provider = fields.get("provider");
        PaymentRequest request = PaymentRequestReader.read(fields, reference.currencies(),
                reference.accounts(provider == null ? null : provider.text()));
        if (refused.stream().anyMatch(known -> known.isRefused(request.provider()))) {
            throw new ProviderRefusedException(request.provider());
        }
        return request;
    }

    /**
     * @param fields  the refund request as it was sent
     * @param payment the payment that it refunds
     * @return the checked request; whether so much is left of the payment is for the database to say
     * @throws RefusedRequestException with everything that is wrong with it
     */
    public PaymentRequest checkRefund(Map<String, Value> fields, RefundedPayment payment) {
        return PaymentRequestReader.refund(fields, payment, reference.currencies());
    }

    /**
     * @param request    the checked request
     * @param requestKey the caller's idempotency key
     * @param caller     who asks, as authenticated
     * @return the parameters of {@code sql/accept.sql}, with a new payment id
     */
    public Map<String, Object> parameters(PaymentRequest request, String requestKey, String caller) {
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("paymentId", ids.generate().toString());
        parameters.put("caller", caller);
        parameters.put("requestKey", requestKey);
        parameters.put("fingerprint", fingerprint.of(request));
        parameters.put("sourceReference", request.sourceReference());
        parameters.put("operation", request.operation());
        parameters.put("provider", request.provider());
        parameters.put("account", request.account());
        parameters.put("amountMinor", request.amountMinor());
        parameters.put("currency", request.currency());
        parameters.put("refundOf", request.refundOf() == null ? "" : request.refundOf());
        parameters.put("actor", "intake:" + caller);
        try {
            parameters.put("instruction", JSON.writeValueAsString(request.instruction()));
        }
        catch (JsonProcessingException e) {
            throw new IllegalStateException("a map of strings is always JSON", e);
        }
        return parameters;
    }

    /**
     * Wakes whoever sends the payment that was just committed. Never fails: the poll finds the payment anyway.
     *
     * @param request of the payment
     */
    public void wake(PaymentRequest request) {
        try {
            recorded.ifAvailable(listener -> listener.paymentRecorded(request.provider()));
        }
        catch (RuntimeException e) {
            LOG.warn("Provider '{}' could not be woken: {}", request.provider(), e.getClass().getName());
        }
    }
}
