package org.paymentroutes.provider.http;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.ExecChainHandler;
import org.apache.hc.core5.concurrent.Cancellable;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;

/**
 * Outermost step of the client. Bounds the whole call in time and the answer in size, and reads the answer to its end, so
 * that nothing is left to be read once a route has it. A timeout of the socket is per read and a trickling answer outlives
 * it; this one is total.
 */
final class DeadlineHandler implements ExecChainHandler {

    private final long deadlineMs;
    private final int maxAnswerBytes;
    private final Supplier<? extends ScheduledExecutorService> timer;
    private final String secretHeader;
    private final String secret;

    /**
     * @param deadlineMs     milliseconds for the whole call
     * @param maxAnswerBytes largest answer in bytes after decompression
     * @param timer          runs the deadline; asked at each call, because it lives only while the endpoint is started
     * @param secretHeader   header that carries the credential
     * @param secret         the credential, or null for none
     */
    DeadlineHandler(long deadlineMs, int maxAnswerBytes, Supplier<? extends ScheduledExecutorService> timer,
            String secretHeader, String secret) {
        this.deadlineMs = deadlineMs;
        this.maxAnswerBytes = maxAnswerBytes;
        this.timer = timer;
        this.secretHeader = secretHeader;
        this.secret = secret;
    }

    @Override
    public ClassicHttpResponse execute(ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
            throws IOException, HttpException {
        Call call = Call.begin(scope.clientContext);
        Cancellable cancellable = (Cancellable) scope.originalRequest;
        if (secret != null) {
            request.setHeader(secretHeader, secret);
        }
        ScheduledFuture<?> alarm = timer.get().schedule(() -> {
            if (call.expire()) {
                cancellable.cancel();
            }
        }, deadlineMs, TimeUnit.MILLISECONDS);
        boolean complete = false;
        try {
            ClassicHttpResponse response = chain.proceed(request, scope);
            byte[] answer = read(response.getEntity());
            call.complete();
            replaceEntity(response, answer);
            complete = true;
            return response;
        } catch (IOException e) {
            throw call.explain(e);
        } finally {
            alarm.cancel(false);
            if (!complete) {
                // Closing an answer politely would read the rest of it first, so the connection is thrown away.
                scope.execRuntime.discardEndpoint();
            }
        }
    }

    private byte[] read(HttpEntity entity) throws IOException {
        if (entity == null) {
            return new byte[0];
        }
        if (entity.getContentLength() > maxAnswerBytes) {
            throw new AnswerIncompleteException(SendFailure.Code.ANSWER_TOO_LARGE, null);
        }
        InputStream content = entity.getContent();
        if (content == null) {
            return new byte[0];
        }
        // readNBytes counts what comes out of decompression: a small bomb is stopped here as well.
        byte[] answer = content.readNBytes(maxAnswerBytes);
        if (answer.length == maxAnswerBytes && content.read() >= 0) {
            throw new AnswerIncompleteException(SendFailure.Code.ANSWER_TOO_LARGE, null);
        }
        content.close();
        return answer;
    }

    private static void replaceEntity(ClassicHttpResponse response, byte[] answer) {
        HttpEntity original = response.getEntity();
        ContentType type = original == null ? null : ContentType.parseLenient(original.getContentType());
        response.setEntity(new ByteArrayEntity(answer, type));
        // The bytes are decompressed. With the header left (an empty gzip answer keeps it) Camel would try once more.
        response.removeHeaders(HttpHeaders.CONTENT_ENCODING);
    }
}
