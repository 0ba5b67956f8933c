package org.paymentroutes.health;

import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/** Looks at what health and metrics tell, every few seconds and aside, so that no probe ever waits for a database or a broker. */
@Component
class Watch implements SmartLifecycle {

    /** One thing to look at. It never throws what it expects to happen, such as an outage. */
    interface Look {
        void look();
    }

    private final List<Look> looks;
    private final HealthProperties options;
    private ScheduledExecutorService scheduler;

    Watch(List<Look> looks, HealthProperties options) {
        this.looks = looks;
        this.options = options;
    }

    @Override
    public synchronized void start() {
        // One thread each: a broker that hangs must not hide what the database says.
        scheduler = new ScheduledThreadPoolExecutor(looks.size(), runnable -> {
            Thread thread = new Thread(runnable, "watch");
            thread.setDaemon(true);
            return thread;
        });
        looks.forEach(look -> scheduler.scheduleWithFixedDelay(look::look, 0, options.refresh().toMillis(), TimeUnit.MILLISECONDS));
    }

    @Override
    public synchronized void stop() {
        scheduler.shutdownNow();
        scheduler = null;
    }

    @Override
    public synchronized boolean isRunning() {
        return scheduler != null;
    }
}
