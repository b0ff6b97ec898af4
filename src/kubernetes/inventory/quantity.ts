const FACTORS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
}

/**
 * Returns the number in a quantity of Kubernetes, such as `7910m`, `16Gi` or `1e3`: in CPUs, bytes or pieces;
 * 0 for an invalid quantity.
 */
export function parseQuantity(quantity: string | number): number {
  const [, number, unit = ''] = /^([0-9.]+(?:[eE][+-]?[0-9]+)?)([A-Za-z]*)$/.exec(String(quantity)) ?? []
  const result = Number(number) * (FACTORS[unit] ?? Number.NaN)
  return Number.isFinite(result) ? result : 0
}

/** Returns a quantity of memory in MiB, rounded down; 0 for an invalid quantity. */
export function mebibytes(quantity: string): number {
  return Math.floor(parseQuantity(quantity) / 2 ** 20)
}

/** Returns the whole CPUs of a quantity; 0 for an invalid quantity. */
export function wholeCpus(quantity: string): number {
  return Math.floor(parseQuantity(quantity))
}
