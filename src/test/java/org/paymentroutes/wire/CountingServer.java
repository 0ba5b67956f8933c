package org.paymentroutes.wire;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ServerSocketFactory;
import javax.net.ssl.SSLContext;

/**
 * A server on a raw socket that counts what really arrives. It plays one scripted {@link Reply} per request and keeps every
 * request byte for byte, so that a second request cannot hide behind a client.
 */
public final class CountingServer implements AutoCloseable {

    private final ServerSocket listener;
    private final ExecutorService workers = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "counting-server");
        thread.setDaemon(true);
        return thread;
    });
    private final Queue<Reply> script = new ConcurrentLinkedQueue<>();
    private final List<RawRequest> requests = new CopyOnWriteArrayList<>();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger connections = new AtomicInteger();
    private final boolean silent;
    private volatile Reply otherwise = Reply.of(200, "{}");

    private CountingServer(ServerSocketFactory factory, boolean silent) throws IOException {
        this.silent = silent;
        this.listener = factory.createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        workers.execute(this::accept);
    }

    /** @return a started server without TLS on a free port of the loopback address */
    public static CountingServer plain() throws IOException {
        return new CountingServer(ServerSocketFactory.getDefault(), false);
    }

    /** @return a started server that speaks TLS with the given key */
    public static CountingServer tls(SSLContext key) throws IOException {
        return new CountingServer(key.getServerSocketFactory(), false);
    }

    /** @return a started server that accepts connections and never reads or writes a byte */
    public static CountingServer silent() throws IOException {
        return new CountingServer(ServerSocketFactory.getDefault(), true);
    }

    /** Adds replies that are played once each, in order. */
    public CountingServer then(Reply... replies) {
        script.addAll(List.of(replies));
        return this;
    }

    /** Sets the reply when the script is used up; at first an empty JSON object with status 200. */
    public CountingServer always(Reply reply) {
        otherwise = reply;
        return this;
    }

    /** @return the port it listens on */
    public int port() {
        return listener.getLocalPort();
    }

    /** @return how many requests began to arrive, complete or not */
    public int count() {
        return requests.size();
    }

    /** @return how many connections were accepted */
    public int connections() {
        return connections.get();
    }

    /** @return every request that began to arrive, oldest first */
    public List<RawRequest> requests() {
        return List.copyOf(requests);
    }

    /** Closes every connection that is open, as a server does with idle ones. */
    public void closeConnections() throws IOException {
        for (Socket socket : open) {
            socket.close();
        }
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                connections.incrementAndGet();
                open.add(socket);
                if (!silent) {
                    workers.execute(() -> serve(socket));
                }
            } catch (IOException e) {
                // Closed, or one connection failed: the test sees the count.
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            InputStream in = socket.getInputStream();
            boolean more = true;
            while (more) {
                RawRequest request = RawRequest.begin(in);
                if (request == null) {
                    return;
                }
                requests.add(request);
                Reply next = script.poll();
                more = (next == null ? otherwise : next).play(request, in, socket);
            }
        } catch (IOException e) {
            // The client went away: what arrived is in the list.
        } finally {
            open.remove(socket);
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        closeConnections();
        workers.shutdownNow();
    }
}
