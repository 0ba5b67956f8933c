package org.paymentroutes.settlement.format;

import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.regex.Pattern;

/** Which file of a zip archive is the settlement file, where the provider packs others beside it. */
public final class ArchiveRule {

    private Pattern entry;
    private Charset encoding = StandardCharsets.UTF_8;

    /** @param pattern a regular expression for the whole name, without folders, of the one file to take out of several */
    public void setEntry(String pattern) {
        this.entry = Options.pattern("archive.entry", pattern);
    }

    /** @param name character set of names that are not marked as UTF-8, for example GB18030 */
    public void setEncoding(String name) {
        try {
            this.encoding = Charset.forName(name);
        }
        catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
            throw Options.wrong("archive.encoding", name, "a character set such as UTF-8 or GB18030");
        }
    }

    /** @return the name of the file to take out of several; null when an archive must hold one file */
    public Pattern entry() {
        return entry;
    }

    /** @return character set of names that are not marked as UTF-8 */
    public Charset encoding() {
        return encoding;
    }
}
