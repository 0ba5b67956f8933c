package org.paymentroutes.model;

import java.util.Set;

/**
 * Everything that can happen next. Messages are lost, late, doubled and in any order; workers sleep at any point and crash
 * at any point; clocks advance whenever they may. What cannot happen is what a contract promises: a request arrives, and
 * an execution is visible, within its limits, and a key is remembered for its lifetime.
 */
final class Moves {

    /** Takes what can happen next. */
    interface Next {
        /**
         * @param label what happens
         * @param ours  whether it happens for certain sooner or later, without the provider or people doing anything
         */
        void to(String label, World world, boolean ours);
    }

    private final Workers workers;
    private final Clocks clocks;
    private final Provider provider;
    private final Queries queries;
    private final Automation automation;
    private final People people;

    Moves(Contract contract, Set<Rule> rules) {
        Setting setting = new Setting(contract, rules);
        Recording recording = new Recording(setting);
        workers = new Workers(setting, recording);
        clocks = new Clocks(setting);
        provider = new Provider(setting, recording);
        queries = new Queries(setting);
        automation = new Automation(setting, recording);
        people = new People(setting, recording);
    }

    void from(World now, Next next) {
        for (int i = 0; i < 2; i++) {
            if (i == 0 || !now.workers[0].equals(now.workers[1])) {
                workers.work(now, i, next);
            }
        }
        clocks.from(now, next);
        provider.from(now, next);
        queries.from(now, next);
        automation.from(now, next);
        people.from(now, next);
    }
}
