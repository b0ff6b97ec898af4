const BYTES: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
}

/** MiB of a quantity of memory as Kubernetes writes it, rounded down; 0 for what cannot be read. */
export function mebibytes(quantity: string): number {
  const [, number, unit = ''] = /^([0-9.]+)([A-Za-z]*)$/.exec(quantity) ?? []
  const bytes = Number(number) * (BYTES[unit] ?? Number.NaN)
  return Number.isFinite(bytes) ? Math.floor(bytes / 2 ** 20) : 0
}

/** Whole CPUs of a quantity such as `8` or `7910m`; 0 for what cannot be read. */
export function wholeCpus(quantity: string): number {
  const [, number, unit] = /^([0-9.]+)(m?)$/.exec(quantity) ?? []
  const cpus = unit === 'm' ? Number(number) / 1000 : Number(number)
  return Number.isFinite(cpus) ? Math.floor(cpus) : 0
}
