package org.paymentroutes.api;

import org.apache.catalina.core.StandardHost;
import org.springframework.boot.web.embedded.tomcat.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.support.TaskExecutorAdapter;
import org.springframework.security.task.DelegatingSecurityContextAsyncTaskExecutor;

/** How HTTP requests come to the routes. */
@Configuration(proxyBeanMethods = false)
class HttpConfiguration {

    /** Behind the security chain, so that nobody reads bodies of those who are not let in. */
    @Bean
    FilterRegistrationBean<RequestBodyFilter> requestBodyFilter() {
        FilterRegistrationBean<RequestBodyFilter> filter = new FilterRegistrationBean<>(new RequestBodyFilter());
        filter.addUrlPatterns("/api/*");
        filter.setOrder(0);
        return filter;
    }

    /**
     * Routes run on the thread that took the request. Camel would else hand each request to a small pool with a queue
     * without end, in which requests would wait unseen while the database is slow; so Tomcat's threads are the limit.
     * Camel prefers an executor of this type to all others.
     */
    @Bean
    DelegatingSecurityContextAsyncTaskExecutor platformHttpExecutor() {
        return new DelegatingSecurityContextAsyncTaskExecutor(new TaskExecutorAdapter(Runnable::run));
    }

    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> problemsFromTomcat() {
        return factory -> factory.addContextCustomizers(context -> {
            if (context.getParent() instanceof StandardHost host) {
                host.setErrorReportValveClass(ProblemErrorValve.class.getName());
            }
        });
    }
}
