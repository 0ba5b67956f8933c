package org.paymentroutes.config;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.spring.boot.CamelContextConfiguration;
import org.paymentroutes.StartRefusedException;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/** Refuses a pattern of route files that finds none: Camel would start without these routes and say nothing. */
@Component
class RouteFiles implements CamelContextConfiguration {

    /** Checks in the constructor, because Camel reads the files before it asks anybody. */
    RouteFiles(@Value("${payment-routes.routes}") String patterns) {
        for (String pattern : patterns.split(",")) {
            if (pattern.strip().startsWith("file:")) {
                check(pattern.strip(), Path.of(pattern.strip().substring("file:".length())));
            }
        }
    }

    @Override
    public void beforeApplicationStart(CamelContext camelContext) {
        // All is checked before.
    }

    @Override
    public void afterApplicationStart(CamelContext camelContext) {
        // All is checked before.
    }

    private static void check(String pattern, Path path) {
        Path folder = path.toAbsolutePath();
        while (folder.toString().contains("*")) {
            folder = folder.getParent();
        }
        if (!Files.exists(folder)) {
            throw new StartRefusedException("Option payment-routes.provider-routes: found " + pattern + ", but there is no "
                    + folder + ". Allowed is a pattern of route files, for example file:/app/routes/providers/*.camel.yaml.");
        }
        PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + path.toAbsolutePath());
        try (Stream<Path> files = Files.walk(folder)) {
            if (files.noneMatch(matcher::matches)) {
                throw new StartRefusedException("Option payment-routes.provider-routes: found " + pattern
                        + ", but no file there has such a name. Allowed is a pattern that finds at least one route file.");
            }
        }
        catch (IOException e) {
            throw new StartRefusedException("Option payment-routes.provider-routes: found " + pattern + ", which cannot be read: "
                    + e.getMessage());
        }
    }
}
