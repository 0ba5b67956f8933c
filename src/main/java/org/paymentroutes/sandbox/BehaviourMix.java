package org.paymentroutes.sandbox;

import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Chooses a behaviour at random, but the same one for the same seed and reference, whatever the order of the requests.
 */
final class BehaviourMix {

    private final NavigableMap<Long, Script> upTo = new TreeMap<>();
    private final long total;
    private final long seed;

    /**
     * @param text {@code word:weight,word:weight}; a word without a weight weighs 1
     * @throws IllegalArgumentException when a word is unknown or no weight is above 0
     */
    BehaviourMix(String text, long seed) {
        long sum = 0;
        for (String item : text.split(",")) {
            String[] parts = item.strip().split(":", 2);
            long weight = parts.length == 1 ? 1 : weight(item, parts[1].strip());
            Script script = Script.parse(parts[0].strip());
            if (weight > 0) {
                sum += weight;
                upTo.put(sum, script);
            }
        }
        if (sum == 0) {
            throw new IllegalArgumentException("sandbox.mix: found '" + text + "'; allowed: at least one weight above 0");
        }
        this.total = sum;
        this.seed = seed;
    }

    private static long weight(String item, String digits) {
        if (!digits.matches("[0-9]{1,6}")) {
            throw new IllegalArgumentException("sandbox.mix: found '" + item.strip() + "'; allowed: word:0 to word:999999");
        }
        return Long.parseLong(digits);
    }

    Script choose(String reference) {
        long mixed = seed;
        for (int i = 0; i < reference.length(); i++) {
            mixed = mixed * 0x100000001B3L + reference.charAt(i);
        }
        long point = new SplittableRandom(mixed).nextLong(total);
        Map.Entry<Long, Script> entry = upTo.higherEntry(point);
        return entry.getValue();
    }
}
