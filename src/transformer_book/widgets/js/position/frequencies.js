// Equations 12.6 and 12.7 turn pair i by the same angle a position.

const frequencies = (size) => range(size / 2).map((i) => 10000 ** ((-2 * i) / size));

const LAST_POSITION = 63;
