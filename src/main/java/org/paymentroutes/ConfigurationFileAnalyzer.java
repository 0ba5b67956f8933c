package org.paymentroutes;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.yaml.snakeyaml.error.MarkedYAMLException;

/** Says in one line where a configuration file is no YAML, instead of a stack trace. Its name is not in the exception. */
class ConfigurationFileAnalyzer extends AbstractFailureAnalyzer<MarkedYAMLException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, MarkedYAMLException cause) {
        String place = cause.getProblemMark() == null ? "" : ", line " + (cause.getProblemMark().getLine() + 1) + ", column "
                + (cause.getProblemMark().getColumn() + 1);
        return new FailureAnalysis("A configuration file cannot be read (config/application.yaml, or what spring.config.* names)" + place + ": "
                + cause.getProblem(), null, rootFailure);
    }
}
