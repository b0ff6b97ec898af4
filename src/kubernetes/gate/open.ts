import {sharedFor} from '../../base/once.ts'
import type {ReadinessRules} from '../../base/readiness.ts'
import type {ApiClient} from '../api/client.ts'
import type {Discovery} from '../api/discovery.ts'
import {listAll} from '../api/list.ts'
import {type ContainerPlace, readLog} from '../api/log.ts'
import {NODES, type Resource, requestText, resourcePath} from '../api/resources.ts'
import {apiGroup} from '../manifest/manifest.ts'
import {reviewAccess} from '../permissions/access.ts'
import type {Watches} from '../watch/watches.ts'
import type {HealthInputs} from './evaluate.ts'
import {deleteFailedJobs, listFailedJobs} from './failed-jobs.ts'
import {waitForHealth} from './gate.ts'
import {healthByLists} from './health-by-lists.ts'
import type {HealthChecks} from './health-checks.ts'
import type {Node} from './kinds/observed.ts'
import {leavableNodes, nodesByName} from './nodes.ts'
import {readHeldRolls, readNodeRolls} from './read-node-rolls.ts'
import {listScaleTargets} from './scale-targets.ts'
import {watchHookObjects} from './watch-hooks.ts'

interface HealthCheckOptions {
  readonly discovery: Discovery
  readonly watches: Watches
  /** The readiness rules of custom resources whose conditions do not indicate readiness. */
  readonly rules: ReadinessRules
}

export function openHealthChecks(
  client: ApiClient,
  {discovery, watches, rules}: HealthCheckOptions,
): HealthChecks {
  const scaleTargets = (namespace: string) => listScaleTargets(client, discovery, namespace)
  const gating: HealthInputs = {
    discovery,
    rules,
    mayRead: (...of) => mayRead(client, of, ['get', 'list', 'watch']),
    scaleTargets,
    now: client.now,
  }
  // Lists of nodes need no watch; for other kinds, a status reads what a gate may read.
  const mayList: HealthInputs['mayRead'] = (resource, namespace) =>
    resource === NODES
      ? mayRead(client, [resource, namespace], ['list'])
      : gating.mayRead(resource, namespace)
  const mayReadNodes = sharedFor(60_000, () => gating.mayRead(NODES, ''))
  const nodes = async () => {
    if (!(await mayReadNodes())) return undefined
    const collection = watches.collection(NODES, '')
    await collection.attempted()
    return collection.isListed() ? nodesByName(collection.all()) : undefined
  }
  return {
    of: healthByLists(client, {...gating, mayRead: mayList}),
    gate: (gate) => waitForHealth(client, {watches, ...gating}, gate),
    watchHooks: (hooks) => watchHookObjects(client, watches, hooks),
    log: (namespace, pod, container) => wholeLog(client, {namespace, pod, container}),
    failedJobs: (namespace, objects) => listFailedJobs(client, namespace, objects),
    deleteFailedJobs: (namespace, objects) => deleteFailedJobs(client, namespace, objects),
    awayNodes: async () =>
      (await mayList(NODES, '')) ? leavableNodes(await listNodes(client), client.now()) : undefined,
    nodeRolls: (namespace, objects) => readNodeRolls(client, {namespace, objects, nodes}),
    heldRolls: (namespace, objects) => readHeldRolls(client, {namespace, objects, nodes}),
    scaleTargets,
  }
}

async function listNodes(client: ApiClient): Promise<readonly Node[]> {
  const {items} = await listAll<Node>(client, {
    path: resourcePath(NODES, ''),
    summary: requestText('list', NODES, ''),
  })
  return items
}

/** Returns all lines of a container's log. */
async function wholeLog(client: ApiClient, place: ContainerPlace): Promise<readonly string[]> {
  return (await readLog(client, place, {timeoutMilliseconds: 60_000})).split('\n')
}

/** Whether the user has all these verbs on the objects of a kind in a namespace. */
async function mayRead(
  client: ApiClient,
  [{apiVersion, plural}, namespace]: readonly [Resource, string],
  verbs: readonly string[],
): Promise<boolean> {
  const group = apiGroup(apiVersion)
  const accesses = verbs.map((verb) => ({group, resource: plural, verb, namespace}))
  return (await reviewAccess(client, accesses)).every(Boolean)
}
