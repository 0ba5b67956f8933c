package org.paymentroutes.model;

import java.util.Set;

/**
 * What a search is about.
 *
 * @param contract what the provider promises
 * @param rules    the rules that are kept; a search without one shows what it is for
 */
record Setting(Contract contract, Set<Rule> rules) {

    boolean holds(Rule rule) {
        return rules.contains(rule);
    }
}
