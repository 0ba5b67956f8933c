package org.paymentroutes.provider;

import java.util.List;
import org.apache.camel.CamelContext;
import org.apache.camel.spring.boot.CamelContextConfiguration;
import org.springframework.stereotype.Component;

/** Loads the accepted files of providers once everything else runs, each by itself: one that does not start is refused alone. */
@Component
class ProviderStart implements CamelContextConfiguration {

    private final CheckedRoutes files;
    private final ProviderRoutes routes;
    private final Providers providers;

    ProviderStart(CheckedRoutes files, ProviderRoutes routes, Providers providers) {
        this.files = files;
        this.routes = routes;
        this.providers = providers;
    }

    @Override
    public void beforeApplicationStart(CamelContext camel) {
        // What providers use is not there yet.
    }

    @Override
    public void afterApplicationStart(CamelContext camel) {
        for (CheckedRoutes.Accepted file : files.accepted()) {
            try {
                routes.load(file.location(), file.text());
                file.names().forEach(providers::announce);
            }
            catch (ProviderRoutes.NotStartedException e) {
                file.names().forEach(name -> providers.withdraw(camel, name));
                ProviderYaml.names(file.location(), file.text()).forEach(name ->
                        providers.refuse(new ContractRefusedException(ProviderFile.place(file.location()), name, List.of(e.getMessage()))));
            }
        }
    }
}
