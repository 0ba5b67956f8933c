package org.paymentroutes.provider;

import org.apache.camel.CamelContext;
import org.apache.camel.Consumer;
import org.apache.camel.spi.ScheduledPollConsumerScheduler;
import org.apache.camel.support.service.ServiceSupport;

/**
 * Schedules the poll of an outbox: at a fixed delay, and at once when it is woken. Woken during a poll, it polls once
 * more; many calls to {@link #wake()} become one poll.
 */
public final class Wakeup extends ServiceSupport implements ScheduledPollConsumerScheduler {

    private final Object monitor = new Object();
    private final long delayMs;
    private CamelContext camelContext;
    private Runnable task;
    private Thread thread;
    private boolean woken;
    private boolean running;

    /** @param delayMs milliseconds between polls when nobody wakes it */
    public Wakeup(long delayMs) {
        this.delayMs = delayMs;
    }

    /** Polls at once; returns immediately. */
    public void wake() {
        synchronized (monitor) {
            woken = true;
            monitor.notifyAll();
        }
    }

    @Override
    public void onInit(Consumer consumer) {
        // The task that Camel hands over is all that is needed of the consumer.
    }

    @Override
    public void scheduleTask(Runnable task) {
        this.task = task;
    }

    @Override
    public void unscheduleTask() {
        stop();
    }

    @Override
    public void startScheduler() {
        synchronized (monitor) {
            if (running) {
                return;
            }
            running = true;
            String name = camelContext.getExecutorServiceManager().resolveThreadName("outbox");
            thread = new Thread(this::loop, name);
            thread.setDaemon(true);
            thread.start();
        }
    }

    @Override
    public boolean isSchedulerStarted() {
        synchronized (monitor) {
            return running;
        }
    }

    private void loop() {
        while (true) {
            synchronized (monitor) {
                if (!running) {
                    return;
                }
                woken = false;
            }
            task.run();
            synchronized (monitor) {
                long until = System.nanoTime() + delayMs * 1_000_000;
                while (running && !woken) {
                    long restMs = (until - System.nanoTime()) / 1_000_000;
                    if (restMs <= 0) {
                        break;
                    }
                    try {
                        monitor.wait(restMs);
                    }
                    catch (InterruptedException e) {
                        running = false;
                    }
                }
            }
        }
    }

    @Override
    protected void doStop() {
        synchronized (monitor) {
            running = false;
            monitor.notifyAll();
        }
    }

    @Override
    public CamelContext getCamelContext() {
        return camelContext;
    }

    @Override
    public void setCamelContext(CamelContext camelContext) {
        this.camelContext = camelContext;
    }
}
