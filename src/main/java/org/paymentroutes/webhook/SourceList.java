package org.paymentroutes.webhook;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;

/** Addresses and networks in CIDR notation. Texts that are not numeric addresses are refused, never looked up. */
final class SourceList {

    private record Network(byte[] address, int bits) {

        boolean holds(byte[] other) {
            if (other.length != address.length) {
                return false;
            }
            int whole = bits / 8;
            if (!Arrays.equals(address, 0, whole, other, 0, whole)) {
                return false;
            }
            int mask = bits % 8 == 0 ? 0 : 0xff << (8 - bits % 8) & 0xff;
            return mask == 0 || (address[whole] & mask) == (other[whole] & mask);
        }
    }

    private final List<Network> networks;

    /**
     * @param entries such as {@code 192.0.2.7} or {@code 2001:db8::/32}; empty for any source
     * @throws IllegalArgumentException when one is neither
     */
    SourceList(List<String> entries) {
        networks = entries.stream().map(SourceList::network).toList();
    }

    /** @return whether the list is empty or holds the address */
    boolean allows(String remote) {
        if (networks.isEmpty()) {
            return true;
        }
        byte[] address = numeric(remote);
        return address != null && networks.stream().anyMatch(network -> network.holds(address));
    }

    private static Network network(String entry) {
        int slash = entry.indexOf('/');
        byte[] address = numeric(slash < 0 ? entry : entry.substring(0, slash));
        String bits = slash < 0 ? null : entry.substring(slash + 1);
        if (address == null || bits != null && (!bits.matches("[0-9]{1,3}") || Integer.parseInt(bits) > address.length * 8)) {
            throw new IllegalArgumentException("Option webhook.sources: found '" + entry + "', allowed is for example 192.0.2.0/24");
        }
        return new Network(address, bits == null ? address.length * 8 : Integer.parseInt(bits));
    }

    private static byte[] numeric(String text) {
        // Only digits, dots and colons: then nothing is looked up by name.
        if (text == null || !text.matches("[0-9.]{7,15}|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*")) {
            return null;
        }
        try {
            return InetAddress.getByName(text).getAddress();
        }
        catch (UnknownHostException e) {
            return null;
        }
    }
}
