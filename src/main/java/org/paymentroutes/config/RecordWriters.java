package org.paymentroutes.config;

import org.apache.camel.builder.ThreadPoolProfileBuilder;
import org.apache.camel.spi.ThreadPoolProfile;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The threads that record answers, and those that record one by one what was refused as a batch. Two keep a database of
 * a few cores busy; what waits for them is bounded by the workers.
 */
@Configuration(proxyBeanMethods = false)
class RecordWriters {

    @Bean
    ThreadPoolProfile recordWritersProfile() {
        return new ThreadPoolProfileBuilder("record-writers").poolSize(2).maxPoolSize(2).maxQueueSize(10_000).build();
    }

    @Bean
    ThreadPoolProfile recordAloneWritersProfile() {
        return new ThreadPoolProfileBuilder("record-alone-writers").poolSize(2).maxPoolSize(2).maxQueueSize(10_000).build();
    }
}
