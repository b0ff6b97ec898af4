export interface FactsFlags {
  readonly facts?: string | undefined
}

/** The facts file that the flag, or KK_FACTS, names. */
export function factsFile({facts}: FactsFlags): string | undefined {
  return facts ?? (process.env.KK_FACTS || undefined)
}
