import {objectName} from '../manifest/manifest.ts'
import {type Background, evaluate, type GatedObject, type Observation} from './evaluate.ts'
import {type Health, passes} from './health.ts'
import {leavableNodes} from './nodes.ts'
import type {ServiceStatusReader} from './service-status.ts'

/**
 * Returns the health of all these objects with what services report of themselves. A service of which only
 * parts on nodes that are away are down is left behind there, like the pods of DaemonSets.
 */
export async function explainedHealth(
  gated: readonly GatedObject[],
  seen: Observation,
  {explain, ...background}: Background & {readonly explain: ServiceStatusReader},
): Promise<Health> {
  const readsNodes = gated.some(({resource}) => resource.readsNodes)
  const away = readsNodes ? leavableNodes([...seen.nodes().values()], seen.now) : []
  const awayNodes = new Set(away.map(({node}) => node))
  const {health, excused} = await explain(evaluate(gated, seen, background), awayNodes)
  if (!excused) return health
  const objects = new Set(excused.map(({object}) => object))
  const others = gated.filter(
    ({resource: {kind}, name}) => !objects.has(objectName({kind, metadata: {name}})),
  )
  const rest = evaluate(others, seen, background)
  return passes(rest) ? {state: 'partial', notes: [...(rest.notes ?? []), ...excused]} : rest
}
