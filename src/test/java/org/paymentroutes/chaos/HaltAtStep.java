package org.paymentroutes.chaos;

import org.apache.camel.AsyncCallback;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.NamedNode;
import org.apache.camel.Processor;
import org.apache.camel.spi.InterceptStrategy;
import org.apache.camel.support.processor.DelegateAsyncProcessor;

/** Watches every route step by its id. The production routes need no failpoints of their own. */
final class HaltAtStep implements InterceptStrategy {

    @Override
    public Processor wrapProcessorInInterceptors(CamelContext context, NamedNode definition, Processor target, Processor next) {
        // Steps of a template carry the prefix of their route beside their id.
        String prefix = definition.getNodePrefixId();
        String id = prefix == null ? definition.getId() : prefix + definition.getId();
        return new DelegateAsyncProcessor(target) {
            @Override
            public boolean process(Exchange exchange, AsyncCallback callback) {
                Armed.step(Failpoint.When.BEFORE, id, () -> exchange.getMessage().getBody());
                return super.process(exchange, synchronously -> {
                    Armed.step(Failpoint.When.AFTER, id, () -> exchange.getMessage().getBody());
                    callback.done(synchronously);
                });
            }
        };
    }
}
