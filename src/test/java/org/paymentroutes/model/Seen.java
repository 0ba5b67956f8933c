package org.paymentroutes.model;

/** Numbers worlds in the order in which they are first seen; open addressing, for millions of them. */
final class Seen {

    private long[] database = new long[1 << 17];
    private long[] outside = new long[1 << 17];
    private int[] number = new int[1 << 17];
    private int size;

    int size() {
        return size;
    }

    /** @return the number of this world: the one that it has, or the next one */
    int add(World.Key key) {
        if (size * 2 > number.length) {
            grow();
        }
        int slot = slot(key.database(), key.outside());
        if (number[slot] == 0) {
            database[slot] = key.database();
            outside[slot] = key.outside();
            number[slot] = ++size;
        }
        return number[slot] - 1;
    }

    private int slot(long one, long two) {
        long mixed = (one * 0x9E3779B97F4A7C15L ^ two) * 0xC2B2AE3D27D4EB4FL;
        int slot = (int) (mixed ^ mixed >>> 32) & number.length - 1;
        while (number[slot] != 0 && (database[slot] != one || outside[slot] != two)) {
            slot = slot + 1 & number.length - 1;
        }
        return slot;
    }

    private void grow() {
        long[] one = database;
        long[] two = outside;
        int[] numbers = number;
        database = new long[2 * one.length];
        outside = new long[2 * one.length];
        number = new int[2 * one.length];
        for (int i = 0; i < numbers.length; i++) {
            if (numbers[i] != 0) {
                int slot = slot(one[i], two[i]);
                database[slot] = one[i];
                outside[slot] = two[i];
                number[slot] = numbers[i];
            }
        }
    }
}
