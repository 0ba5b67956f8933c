package org.paymentroutes.support;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Work on several threads at a time, for what must hold however they meet. */
public final class AtOnce {

    private AtOnce() {
    }

    /** As {@link #all}, with the same work on each thread. */
    public static <T> List<T> onEach(int threads, Callable<T> work) throws Exception {
        return all(threads, Collections.nCopies(threads, work));
    }

    /**
     * @param threads how many run at a time
     * @return what each piece of work returned, in order
     * @throws Exception when one of them failed or took more than a minute
     */
    public static <T> List<T> all(int threads, List<? extends Callable<? extends T>> work) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<? extends T>> running = new ArrayList<>();
            for (Callable<? extends T> one : work) {
                running.add(executor.submit(one));
            }
            List<T> results = new ArrayList<>();
            for (Future<? extends T> one : running) {
                results.add(one.get(60, TimeUnit.SECONDS));
            }
            return results;
        }
        finally {
            executor.shutdownNow();
        }
    }
}
