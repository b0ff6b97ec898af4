/** Random choices that can be made again. */
export interface Dice {
  readonly seed: number
  /** A whole number, both ends included. */
  between(low: number, high: number): number
  pick<T>(choices: readonly T[]): T
  /** True so many times out of a hundred. */
  percent(chance: number): boolean
  /** Dice of their own for a part of the test, so that parts can be played again alone. */
  for(part: string): Dice
}

/** `KK_TEST_SEED`, by which a failure is played again, or a new one. */
export function seedOfRun(env: NodeJS.ProcessEnv = process.env): number {
  return env.KK_TEST_SEED === undefined ? Date.now() % 1_000_000_000 : Number(env.KK_TEST_SEED)
}

/** Mulberry32: small, and the same on every machine. */
export function throwDice(seed: number): Dice {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const dice: Dice = {
    seed,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick: (choices) => choices[dice.between(0, choices.length - 1)]!,
    percent: (chance) => next() * 100 < chance,
    for: (part) =>
      throwDice([...part].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), seed)),
  }
  return dice
}
