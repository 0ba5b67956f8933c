package org.paymentroutes.settlement.format;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Reads ISO 20022 statements (camt.053) and notifications (camt.054), one entry in memory at a time. A document type
 * declaration is refused, and nothing outside of the file is ever read.
 */
final class CamtReader implements SettlementReader {

    private static final String NAMESPACE = "urn:iso:std:iso:20022:tech:xsd:";
    private static final int MAX_DEPTH = 40;
    private static final int MAX_TEXT = 4000;

    private final SettlementContract contract;
    private final Map<String, Integer> exponents;

    CamtReader(SettlementContract contract, Map<String, Integer> exponents) {
        this.contract = contract;
        this.exponents = exponents;
    }

    @Override
    public SettlementHeader read(InputStream in, String name, Consumer<SettlementLine> lines) throws IOException {
        GuardedStream source = new GuardedStream(in);
        CamtStatement statement = new CamtStatement(contract, exponents, lines);
        XMLStreamReader xml = null;
        try {
            xml = factory().createXMLStreamReader(source);
            walk(xml, source, statement);
            return statement.header();
        }
        catch (XMLStreamException | RuntimeException e) {
            source.rethrowFailure();
            if (e instanceof SettlementRefusedException refused) {
                throw refused;
            }
            // The parser of the JDK answers some broken input with exceptions of other kinds.
            if (e instanceof XMLStreamException || fromParser(e)) {
                long line = xml == null ? 0 : Math.max(xml.getLocation().getLineNumber(), 0);
                throw new SettlementRefusedException(line, statement.column(), "broken XML", "a complete and well-formed document");
            }
            throw (RuntimeException) e;
        }
    }

    private static boolean fromParser(Exception e) {
        return e.getStackTrace().length > 0 && e.getStackTrace()[0].getClassName().matches("(com\\.sun\\.org\\.apache|java\\.util|jdk)\\..*")
                && Arrays.stream(e.getStackTrace()).anyMatch(frame -> frame.getClassName().startsWith("com.sun.org.apache.xerces"));
    }

    private static XMLInputFactory factory() {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_NAMESPACE_AWARE, true);
        factory.setXMLResolver((publicId, systemId, base, namespace) -> {
            throw new XMLStreamException("Nothing outside of the file is read");
        });
        return factory;
    }

    private void walk(XMLStreamReader xml, GuardedStream source, CamtStatement statement) throws XMLStreamException {
        StringBuilder text = new StringBuilder();
        String namespace = null;
        int depth = 0;
        // The depth of what is not ours: what a bank adds, in whatever words. 0: none.
        int foreign = 0;
        boolean afterElement = false;
        while (xml.hasNext()) {
            int event = xml.next();
            source.progress();
            switch (event) {
                case XMLStreamConstants.START_ELEMENT -> {
                    depth++;
                    if (depth > MAX_DEPTH) {
                        throw refused(xml, statement, "elements " + depth + " deep", "at most " + MAX_DEPTH);
                    }
                    if (depth == 1) {
                        root(xml);
                        namespace = xml.getNamespaceURI();
                    }
                    if (foreign == 0 && (xml.getLocalName().equals("SplmtryData") || !Objects.equals(namespace, xml.getNamespaceURI()))) {
                        foreign = depth;
                    }
                    if (foreign > 0) {
                        continue;
                    }
                    mixed(text, xml, statement);
                    afterElement = false;
                    statement.start(xml.getLocalName(), depth, xml.getAttributeValue(null, "Ccy"), xml.getLocation().getLineNumber());
                }
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA -> {
                    if (foreign > 0) {
                        continue;
                    }
                    if (text.length() + xml.getTextLength() > MAX_TEXT) {
                        throw refused(xml, statement, "more than " + MAX_TEXT + " characters", "a shorter text");
                    }
                    text.append(xml.getTextCharacters(), xml.getTextStart(), xml.getTextLength());
                }
                case XMLStreamConstants.END_ELEMENT -> {
                    if (foreign > 0) {
                        foreign = depth == foreign ? 0 : foreign;
                        depth--;
                        continue;
                    }
                    if (afterElement) {
                        mixed(text, xml, statement);
                    }
                    afterElement = true;
                    statement.end(xml.getLocalName(), depth, text.toString().strip(), xml.getLocation().getLineNumber());
                    text.setLength(0);
                    depth--;
                }
                case XMLStreamConstants.DTD, XMLStreamConstants.ENTITY_REFERENCE, XMLStreamConstants.ENTITY_DECLARATION ->
                        throw refused(xml, statement, "a document type declaration or an entity", "a document without them");
                default -> {
                    // Comments, processing instructions and blanks say nothing.
                }
            }
        }
    }

    /** Refuses text between elements: the rest of it would pass for the whole. Clears the text. */
    private static void mixed(StringBuilder text, XMLStreamReader xml, CamtStatement statement) {
        if (!text.toString().isBlank()) {
            throw refused(xml, statement, "text beside elements", "one of them");
        }
        text.setLength(0);
    }

    private void root(XMLStreamReader xml) {
        String namespace = xml.getNamespaceURI() == null ? "" : xml.getNamespaceURI();
        String message = namespace.startsWith(NAMESPACE) ? namespace.substring(NAMESPACE.length()) : "";
        if (!xml.getLocalName().equals("Document") || !contract.getBank().messages().contains(message)) {
            throw new SettlementRefusedException(xml.getLocation().getLineNumber(), "Document", "'" + namespace + "'",
                    "one of " + contract.getBank().messages());
        }
    }

    private static SettlementRefusedException refused(XMLStreamReader xml, CamtStatement statement, String found, String allowed) {
        return new SettlementRefusedException(Math.max(xml.getLocation().getLineNumber(), 1), statement.column(), found, allowed);
    }

    /** Tells broken content from a source that cannot be read, and stops a parser that swallows without end. */
    private static final class GuardedStream extends InputStream {

        private static final long MAX_AT_ONCE = 4L << 20;

        private final InputStream in;
        private IOException failure;
        private long sinceProgress;

        GuardedStream(InputStream in) {
            this.in = in;
        }

        void progress() {
            sinceProgress = 0;
        }

        void rethrowFailure() throws IOException {
            if (failure != null) {
                throw failure;
            }
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (sinceProgress > MAX_AT_ONCE) {
                throw new SettlementRefusedException(0, null, "more than " + MAX_AT_ONCE + " bytes without an element", "XML with elements");
            }
            try {
                int count = in.read(bytes, offset, length);
                sinceProgress += Math.max(count, 0);
                return count;
            }
            catch (IOException e) {
                failure = e;
                throw e;
            }
        }
    }
}
