import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {KkError} from '../../src/base/errors.ts'
import type {ApiServer} from '../../src/kubernetes/api/api-server.ts'
import type {DryRuns} from '../../src/kubernetes/dry-run/dry-runs.ts'
import type {Layer} from '../../src/overrides/layer.ts'
import {type CachedRender, layersKey} from '../../src/prepare/inference/cached-renders.ts'
import {renderPlan, validatedRenders, validateInDryRun} from '../../src/verbs/preview.ts'
import {id} from '../graph/graph-of.ts'
import {port} from '../kubernetes/support/port.ts'
import {planOf} from '../run/plan-of.ts'
import {testDirectory} from '../support/test-directory.ts'

const RENDERED = new Map([
  [id('keystone'), [{apiVersion: 'v1', kind: 'Secret', metadata: {name: 'keystone'}}]],
])

const HELM = {helm: {version: {major: 4}}, forceConflicts: false, mask: (text: string) => text} as const

const COMPARED = {plan: planOf({keystone: []}), previous: new Map(), ...HELM}

/** A cluster that is asked whether it would accept the objects, and throws or refuses. */
const clusterThat = (error: KkError) => ({
  dryRuns: port<DryRuns>({validate: () => Promise.reject(error)}),
})

describe('the check that the API server would accept the objects of a plan', () => {
  it('is made by a dry run', async () => {
    const validate = async () => [{object: 'Secret/keystone', outcome: 'accepted'} as const]

    await expect(validateInDryRun(RENDERED, port({validate}), COMPARED)).resolves.toBe(true)
  })

  it('is skipped without permission for dry runs', async () => {
    const cluster = clusterThat(new KkError('KK_FORBIDDEN', 'may not patch secrets'))

    await expect(validateInDryRun(RENDERED, cluster.dryRuns, COMPARED)).resolves.toBe(false)
  })

  it('fails if the API server does not respond', async () => {
    const cluster = clusterThat(new KkError('KK_UNREACHABLE', 'gone'))

    await expect(validateInDryRun(RENDERED, cluster.dryRuns, COMPARED)).rejects.toMatchObject({
      code: 'KK_UNREACHABLE',
    })
  })

  it('fails with every object that would be refused', async () => {
    const validate = async () => [
      {object: 'Secret/keystone', outcome: 'refused', message: 'bad name'} as const,
    ]

    await expect(validateInDryRun(RENDERED, port({validate}), COMPARED)).rejects.toMatchObject({
      code: 'KK_INVALID_OBJECT',
    })
  })
})

describe('a new release without inference', () => {
  const plan = planOf({keystone: []})
  const prepared = {environment: {infer: false}, releases: new Map()} as unknown as Parameters<
    typeof renderPlan
  >[0]
  const helm = {} as Parameters<typeof renderPlan>[2]['helm']
  const cluster = {apiServer: port<ApiServer>({customKinds: async () => []})}
  const NEVER_ASKED = {wasValidated: async () => false}

  it('is not rendered to show only the plan', async () => {
    await expect(renderPlan(prepared, plan, {helm, cluster, ifUnknown: NEVER_ASKED})).resolves.toEqual(
      new Map(),
    )
  })

  it('is rendered if its objects are needed', async () => {
    await expect(renderPlan(prepared, plan, {helm, cluster})).rejects.toThrow()
  })
})

describe('a render that a cluster has validated', () => {
  const plan = planOf({keystone: []})
  const known = (layers: string): CachedRender => ({layers, rendered: undefined, facts: FACTS})
  const FACTS = {provided: {objects: [], kinds: []}, wants: []} as unknown as CachedRender['facts']
  const layers: readonly Layer[] = [{name: 'section', source: 'cloud.yaml', values: {port: 80}}]
  const chart = {libraries: [], directory: join(import.meta.dirname, '../fixtures/charts/workload')}
  const release = {chart, layers, desired: {chart: {digest: 'd1'}}}
  const prepared = {
    releases: new Map([[id('keystone'), release]]),
    cachedRenders: new Map([[id('keystone'), known(layersKey(layers))]]),
  } as unknown as Parameters<typeof validatedRenders>[0]

  it('is reused only by plans with the same inputs on the same cluster', async () => {
    const cache = testDirectory()
    const here = validatedRenders(prepared, {cache, cluster: {uid: 'a'}})
    const elsewhere = validatedRenders(prepared, {cache, cluster: {uid: 'b'}})
    const keystone = {release: id('keystone')}
    const same = known(layersKey(layers))

    const before = await here.wasValidated(keystone, same)
    await here.keep(plan, RENDERED)

    expect(before).toBe(false)
    expect(await here.wasValidated(keystone, same)).toBe(true)
    expect(await here.wasValidated(keystone, known('other values'))).toBe(false)
    expect(await elsewhere.wasValidated(keystone, same)).toBe(false)
  })

  it('is stored only if it was rendered, and a failure to store it is ignored', async () => {
    const cache = testDirectory()
    const asked = validatedRenders(prepared, {cache, cluster: {uid: 'a'}})
    await writeFile(join(cache, 'file'), '')
    const nowhere = validatedRenders(prepared, {cache: join(cache, 'file'), cluster: {uid: 'a'}})

    await asked.keep(plan, new Map())
    await nowhere.keep(plan, RENDERED)

    expect(await asked.wasValidated({release: id('keystone')}, known(layersKey(layers)))).toBe(false)
    expect(await nowhere.wasValidated({release: id('keystone')}, known(layersKey(layers)))).toBe(false)
  })
})
