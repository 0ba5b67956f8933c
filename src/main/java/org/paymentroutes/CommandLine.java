package org.paymentroutes;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.paymentroutes.archive.RestoreApplication;
import org.paymentroutes.provider.ExplainApplication;

/** What may stand on the command line. Whoever mistypes a command that looks at something must not start a node that pays. */
final class CommandLine {

    private static final String COMMANDS = "sandbox (as the first word), " + ExplainApplication.OPTION + ", --archive.restore=<manifest>,"
            + " or options such as --server.port=8081";

    private CommandLine() {
    }

    /**
     * @param arguments of the process
     * @return the first thing that is wrong with them, in one line; null when nothing is
     */
    static String refusal(String... arguments) {
        if (arguments.length > 0 && arguments[0].equals("sandbox")) {
            return null;
        }
        List<String> commands = new ArrayList<>();
        for (String argument : arguments) {
            String name = argument.replaceFirst("=.*", "");
            if (explains(argument) || RestoreApplication.manifest(argument).isPresent()) {
                commands.add(argument);
            }
            else if (name.matches("(?i)-*(providers?[._-]?)?expla.*")) {
                return "Option " + argument + ": allowed is " + ExplainApplication.OPTION;
            }
            else if (name.matches("(?i)-*(archives?[._-]?)?restore.*")) {
                return "Option " + argument + ": allowed is --archive.restore=<manifest>, the .json file of an archive";
            }
            else if (!argument.matches("(?s)--[A-Za-z].*")) {
                return "Argument " + argument + ": allowed are " + COMMANDS;
            }
        }
        return commands.size() > 1 ? "Found " + String.join(" and ", commands) + ", allowed is one of them" : null;
    }

    /** @return whether the arguments ask for the recovery plans */
    static boolean explains(String... arguments) {
        return Arrays.stream(arguments).anyMatch(argument -> argument.equals(ExplainApplication.OPTION) || argument.equals(ExplainApplication.OPTION + "=true"));
    }
}
