package org.paymentroutes.sandbox;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A small HTTP/1.1 server on plain sockets. No ready-made server can be used: each is built to never send the broken
 * bytes that this one has to send.
 */
final class SandboxServer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SandboxServer.class);
    private static final int BACKLOG = 512;

    private final SandboxProperties options;
    private final Function<HttpRequest, Answer> handler;
    private final ServerSocket listener;
    private final ExecutorService connections;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    /**
     * Binds the address and starts to accept.
     *
     * @param handler gives the answer to each request; what it throws is answered 500
     * @throws UncheckedIOException when the address cannot be bound
     */
    SandboxServer(SandboxProperties options, Function<HttpRequest, Answer> handler) {
        this.options = options;
        this.handler = handler;
        AtomicInteger number = new AtomicInteger();
        this.connections = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "sandbox-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        try {
            listener = new ServerSocket();
            listener.setReuseAddress(true);
            listener.bind(new InetSocketAddress(InetAddress.getByName(options.address()), options.port()), BACKLOG);
        } catch (IOException e) {
            throw new UncheckedIOException("sandbox.port: cannot listen on " + options.address() + ":" + options.port(), e);
        }
        // Not a daemon: in a process of its own, this thread is what keeps the sandbox alive.
        new Thread(this::accept, "sandbox-accept").start();
    }

    /** The address that callers use, such as {@code http://127.0.0.1:40123}. */
    String url() {
        InetAddress address = listener.getInetAddress();
        String host = address.isAnyLocalAddress() ? "127.0.0.1" : address.getHostAddress();
        return "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + listener.getLocalPort();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                open.add(socket);
                connections.execute(() -> serve(socket));
            } catch (IOException e) {
                if (!listener.isClosed()) {
                    LOG.warn("sandbox cannot accept a connection: {}", e.getMessage());
                }
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            OutputStream out = socket.getOutputStream();
            HttpRequestReader reader = new HttpRequestReader(socket.getInputStream(), out);
            AnswerWriter writer = new AnswerWriter(socket, out, options.trickleMs());
            HttpRequest request = reader.next();
            while (request != null && writer.write(answer(request), request.keepAlive())) {
                request = reader.next();
            }
        } catch (IOException e) {
            LOG.debug("sandbox connection ended: {}", e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            open.remove(socket);
        }
    }

    private Answer answer(HttpRequest request) {
        try {
            return handler.apply(request);
        } catch (IllegalArgumentException e) {
            return Answer.json(400, "{\"error\":\"invalid_request\",\"detail\":\"" + e.getMessage().replaceAll("[\"\\\\]|\\p{Cntrl}", "'") + "\"}");
        } catch (RuntimeException e) {
            LOG.error("sandbox failed on {} {}", request.method(), request.path(), e);
            return Answer.json(500, PaymentJson.error("sandbox_failure"));
        }
    }

    /** Stops to accept, cuts every connection, and waits a moment for the threads. */
    @Override
    public void close() throws IOException {
        listener.close();
        connections.shutdownNow();
        for (Socket socket : open) {
            socket.close();
        }
        try {
            connections.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
