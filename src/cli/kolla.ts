import type {Environment} from '../environment/environment.ts'
import {releaseOf} from '../exchange/kolla/microservices.ts'
import {containersOf} from '../exchange/kolla/service-charts.ts'
import {chartsIn} from './config.ts'

/**
 * Returns the releases of an environment that correspond to kolla-kubernetes microservices. Rejects with
 * `KK_USAGE` for an unknown name.
 */
export async function releasesByKollaName(
  words: readonly string[],
  environment: Environment,
): Promise<readonly string[]> {
  const containers = containersOf(await chartsIn(undefined))
  return words.map((word) => releaseOf(word, {containers, environment}))
}
