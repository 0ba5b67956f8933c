package org.paymentroutes.settlement.format;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;

/**
 * Decodes text and refuses bytes that are no character, after all characters before them were handed out: so that the
 * message can name the line. (A reader of the JDK drops those characters.)
 */
final class StrictDecoder {

    private final InputStream in;
    private final CharsetDecoder decoder;
    private final ByteBuffer bytes = ByteBuffer.allocate(32 * 1024);
    private final CharBuffer chars = CharBuffer.allocate(32 * 1024);
    private boolean ended;
    private boolean flushed;
    private CharacterCodingException failure;

    StrictDecoder(InputStream in, Charset charset) {
        this.in = in;
        this.decoder = charset.newDecoder().onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        bytes.flip();
        chars.flip();
    }

    /**
     * @return the next character, or -1 at the end
     * @throws CharacterCodingException at bytes that are no character
     * @throws IOException              when the source cannot be read
     */
    int read() throws IOException {
        while (!chars.hasRemaining()) {
            if (failure != null) {
                throw failure;
            }
            if (flushed) {
                return -1;
            }
            fill();
        }
        return chars.get();
    }

    private void fill() throws IOException {
        if (!ended && bytes.remaining() < 64) {
            bytes.compact();
            int count = in.read(bytes.array(), bytes.position(), bytes.remaining());
            ended = count < 0;
            bytes.position(bytes.position() + Math.max(count, 0));
            bytes.flip();
        }
        chars.clear();
        CoderResult result = decoder.decode(bytes, chars, ended);
        if (result.isError()) {
            try {
                result.throwException();
            }
            catch (CharacterCodingException e) {
                failure = e;
            }
        }
        else if (ended && result.isUnderflow()) {
            flushed = decoder.flush(chars).isUnderflow();
        }
        chars.flip();
    }
}
