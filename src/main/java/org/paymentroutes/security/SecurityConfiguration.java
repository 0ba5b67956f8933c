package org.paymentroutes.security;

import jakarta.servlet.DispatcherType;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpMethod;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.ProviderManager;
import org.springframework.security.authentication.dao.DaoAuthenticationProvider;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.annotation.web.configurers.HeadersConfigurer.FrameOptionsConfig;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.authority.SimpleGrantedAuthority;
import org.springframework.security.crypto.factory.PasswordEncoderFactories;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationConverter;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.session.NullAuthenticatedSessionStrategy;
import org.springframework.security.web.csrf.CookieCsrfTokenRepository;
import org.springframework.security.web.csrf.CsrfTokenRequestAttributeHandler;
import org.springframework.security.web.header.writers.ReferrerPolicyHeaderWriter.ReferrerPolicy;

/** Who may do what over HTTP. What is not named here is closed. */
@Configuration(proxyBeanMethods = false)
class SecurityConfiguration {

    private static final String[] SEE_ALL = {"viewer", "operator", "approver", "admin"};
    private static final String[] SEE_OWN = {"caller", "viewer", "operator", "approver", "admin"};
    private static final String[] OPERATE = {"operator", "admin"};
    private static final String[] PROPOSE = {"operator", "approver", "admin"};
    private static final String[] APPROVE = {"approver", "admin"};

    @Bean
    AuthenticationManager authenticationManager(SecurityProperties properties, ObjectProvider<JwtDecoder> tokens,
            @Value("${payment-routes.embedded.database:false}") boolean embedded,
            @Value("${payment-routes.data:data}") Path data) {
        boolean oauth2 = tokens.getIfAvailable() != null;
        DaoAuthenticationProvider passwords = new DaoAuthenticationProvider(
                new InMemoryUserDetailsManager(Users.of(properties.users(), embedded, data, oauth2)));
        passwords.setPasswordEncoder(PasswordEncoderFactories.createDelegatingPasswordEncoder());
        ProviderManager manager = new ProviderManager(new PasswordAuthentication(passwords));
        // What is remembered is shared between requests and carries no credentials anyway.
        manager.setEraseCredentialsAfterAuthentication(false);
        return manager;
    }

    @Bean
    @Order(1)
    SecurityFilterChain apiSecurity(HttpSecurity http, AuthenticationManager manager, SecurityProperties properties,
            ObjectProvider<JwtDecoder> tokens) throws Exception {
        common(http.securityMatcher("/api/**", "/webhooks/**"), manager, properties, tokens)
                // No cookie logs anybody in here, and a form of a foreign page cannot send JSON.
                .csrf(AbstractHttpConfigurer::disable)
                .authorizeHttpRequests(request -> request
                        .dispatcherTypeMatchers(DispatcherType.ASYNC, DispatcherType.ERROR).permitAll()
                        // Webhooks are let in by their signature, not by a login.
                        .requestMatchers(HttpMethod.POST, "/webhooks/**").permitAll()
                        .requestMatchers(HttpMethod.GET, "/api/openapi.json", "/api/openapi.yaml").permitAll()
                        .requestMatchers(HttpMethod.POST, "/api/payments", "/api/payments/*/refunds").hasRole("caller")
                        .requestMatchers(HttpMethod.POST, "/api/review/cases/*/decisions").hasAnyRole(PROPOSE)
                        .requestMatchers(HttpMethod.POST, "/api/review/decisions/*/approve", "/api/review/decisions/*/refuse")
                                .hasAnyRole(APPROVE)
                        .requestMatchers(HttpMethod.POST, "/api/review/**").hasAnyRole(OPERATE)
                        .requestMatchers("/api/review/**").hasAnyRole(SEE_ALL)
                        .requestMatchers(HttpMethod.POST, "/api/providers/*/reclassification").hasAnyRole(PROPOSE)
                        .requestMatchers(HttpMethod.POST, "/api/reclassifications/**").hasAnyRole(APPROVE)
                        .requestMatchers("/api/reclassifications/**").hasAnyRole(SEE_ALL)
                        .requestMatchers(HttpMethod.POST, "/api/settlement/decisions/*/approve").hasAnyRole(APPROVE)
                        .requestMatchers(HttpMethod.POST, "/api/settlement/**").hasAnyRole(PROPOSE)
                        .requestMatchers("/api/settlement/**").hasAnyRole(SEE_ALL)
                        .requestMatchers(HttpMethod.POST, "/api/providers/*/pause", "/api/providers/*/resume", "/api/providers/*/reload").hasAnyRole(OPERATE)
                        .requestMatchers(HttpMethod.POST, "/api/payments/*/refresh", "/api/compare").hasAnyRole(OPERATE)
                        .requestMatchers(HttpMethod.POST, "/api/alerts/*/acknowledge").hasAnyRole("operator", "approver", "admin")
                        .requestMatchers("/api/alerts/**").hasAnyRole(SEE_ALL)
                        .requestMatchers("/api/ledger/**", "/api/providers/**").hasAnyRole(SEE_ALL)
                        .requestMatchers("/api/payments/**").hasAnyRole(SEE_OWN)
                        .anyRequest().authenticated());
        http.headers(headers -> headers.contentSecurityPolicy(
                policy -> policy.policyDirectives("default-src 'none'; frame-ancestors 'none'")));
        return http.build();
    }

    @Bean
    @Order(2)
    SecurityFilterChain operationSecurity(HttpSecurity http, AuthenticationManager manager, SecurityProperties properties,
            ObjectProvider<JwtDecoder> tokens) throws Exception {
        // Hawtio's script reads the token from the cookie and sends it in a header.
        CsrfTokenRequestAttributeHandler fromHeader = new CsrfTokenRequestAttributeHandler();
        fromHeader.setCsrfRequestAttributeName(null);
        common(http, manager, properties, tokens)
                .csrf(csrf -> csrf.csrfTokenRepository(CookieCsrfTokenRepository.withHttpOnlyFalse())
                        .csrfTokenRequestHandler(fromHeader)
                        // Basic logs in with each request; a new token each time would break requests side by side.
                        .sessionAuthenticationStrategy(new NullAuthenticatedSessionStrategy()))
                .authorizeHttpRequests(request -> request
                        .dispatcherTypeMatchers(DispatcherType.ASYNC, DispatcherType.ERROR).permitAll()
                        .requestMatchers(HttpMethod.GET, "/actuator/health/**").permitAll()
                        .requestMatchers(HttpMethod.GET, "/actuator/prometheus").hasAnyRole(SEE_ALL)
                        .requestMatchers("/actuator/**").hasAnyRole("viewer", "operator", "admin")
                        .anyRequest().authenticated());
        http.headers(headers -> headers.frameOptions(FrameOptionsConfig::sameOrigin)
                .contentSecurityPolicy(policy -> policy.policyDirectives("frame-ancestors 'self'; object-src 'none'; base-uri 'self'")));
        return http.build();
    }

    private static HttpSecurity common(HttpSecurity http, AuthenticationManager manager, SecurityProperties properties,
            ObjectProvider<JwtDecoder> tokens) throws Exception {
        JwtDecoder decoder = tokens.getIfAvailable();
        ProblemResponses problems = new ProblemResponses(decoder != null);
        http.authenticationManager(manager)
                .sessionManagement(session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                .httpBasic(basic -> basic.authenticationEntryPoint(problems))
                .exceptionHandling(handling -> handling.authenticationEntryPoint(problems).accessDeniedHandler(problems))
                .headers(headers -> headers.referrerPolicy(policy -> policy.policy(ReferrerPolicy.NO_REFERRER)))
                .formLogin(AbstractHttpConfigurer::disable)
                .logout(AbstractHttpConfigurer::disable)
                .requestCache(AbstractHttpConfigurer::disable)
                .anonymous(anonymous -> { });
        if (decoder != null) {
            JwtAuthenticationConverter converter = new JwtAuthenticationConverter();
            converter.setJwtGrantedAuthoritiesConverter(token -> roles(token.getClaims(), properties.rolesClaim()));
            http.oauth2ResourceServer(server -> server.authenticationEntryPoint(problems).accessDeniedHandler(problems)
                    .jwt(jwt -> jwt.decoder(decoder).jwtAuthenticationConverter(converter)));
        }
        return http;
    }

    /** @return the roles of ours in a claim; the claim may be nested, as in {@code realm_access.roles} */
    static Collection<GrantedAuthority> roles(Map<String, Object> claims, String path) {
        Object value = claims;
        for (String name : path.split("\\.")) {
            value = value instanceof Map<?, ?> map ? map.get(name) : null;
        }
        return value instanceof Collection<?> roles
                ? roles.stream().map(String::valueOf).filter(SecurityProperties.ROLES::contains)
                        .<GrantedAuthority>map(role -> new SimpleGrantedAuthority("ROLE_" + role)).toList()
                : List.of();
    }
}
