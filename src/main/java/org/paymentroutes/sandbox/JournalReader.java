package org.paymentroutes.sandbox;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** Reads a journal from its start. */
final class JournalReader {

    private JournalReader() {
    }

    /**
     * Gives each whole line to {@code reader}.
     *
     * @return the length of the file up to the end of the last whole line
     * @throws IllegalStateException when a whole line cannot be understood; it names the line
     */
    static long read(FileChannel channel, Consumer<String> reader) throws IOException {
        channel.position(0);
        ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        ByteArrayOutputStream line = new ByteArrayOutputStream(512);
        long end = 0;
        long number = 0;
        while (channel.read(buffer.clear()) > 0) {
            buffer.flip();
            while (buffer.hasRemaining()) {
                byte b = buffer.get();
                if (b != '\n') {
                    line.write(b);
                    continue;
                }
                number++;
                end += line.size() + 1;
                accept(reader, line.toString(StandardCharsets.UTF_8), number);
                line.reset();
            }
        }
        return end;
    }

    private static void accept(Consumer<String> reader, String line, long number) {
        try {
            reader.accept(line);
        } catch (RuntimeException e) {
            throw new IllegalStateException("sandbox.books: line " + number + " cannot be read", e);
        }
    }
}
