import {execa} from 'execa'

export interface Contender {
  readonly command: readonly [string, ...string[]]
  readonly env?: Readonly<Record<string, string>>
  /** Runs before each start, and is not measured. */
  readonly before?: () => Promise<unknown>
}

const WARM_UPS = 2

/** The output of a measured command is discarded, except the reason of a failure. */
export const QUIET = {stdin: 'ignore', stdout: 'ignore', stderr: 'pipe'} as const

/**
 * The median of each command in milliseconds, from its start to its end. The commands alternate, so that
 * other load on the machine slows all of them. Rejects if one of them fails.
 */
export async function race(
  contenders: readonly Contender[],
  {rounds, signal}: {readonly rounds: number; readonly signal: AbortSignal},
): Promise<number[]> {
  const times = contenders.map((): number[] => [])
  for (let round = -WARM_UPS; round < rounds; round++) {
    for (const [index, {command, env, before}] of contenders.entries()) {
      await before?.()
      const [file, ...args] = command
      const {durationMs} = await execa(file, args, {...QUIET, cancelSignal: signal, ...(env && {env})})
      if (round >= 0) times[index]!.push(durationMs)
    }
  }
  return times.map(median)
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
