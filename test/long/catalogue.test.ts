import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {load} from 'js-yaml'
import {beforeAll, describe, expect, it} from 'vitest'
import type {PlanDocument} from '../../src/report/plan/plan-json.ts'
import {get, makeNamespace} from '../e2e/support/cluster.ts'
import {
  CHARTS,
  type EnvironmentContent,
  makeEnvironment,
  only,
  type TestEnvironment,
} from '../e2e/support/environment.ts'
import {history} from '../e2e/support/history.ts'
import {revisions} from '../e2e/support/records.ts'
import {REQUIRED_BY_CATALOGUE} from './support/catalogue.ts'

/** Services without an image of kk's, and what names one. */
const OTHERS = {
  murano: {},
  panko: {},
  'fm-rest-api': {images: {tags: {fm_rest_api: 'registry.example.org/stx-fm-rest-api:1'}}},
}

/** The content of an environment of kk's own, with its charts. */
async function ownEnvironment(name: string): Promise<EnvironmentContent> {
  const text = await readFile(join(CHARTS, '../environments', `${name}.yaml`), 'utf8')
  const {kk: _, ...sections} = load(text) as EnvironmentContent
  return {...sections, kk: {charts: [CHARTS]}}
}

describe('the further services, in a separate environment next to the cloud that they use', () => {
  let namespace: string
  let catalogue: TestEnvironment
  let plan: PlanDocument
  let names: readonly string[]
  beforeAll(async () => {
    namespace = await makeNamespace('catalogue')
    const cloud = await makeEnvironment({
      content: only(await ownEnvironment('cloud'), ...REQUIRED_BY_CATALOGUE),
      namespace,
    })
    const content = {...(await ownEnvironment('catalogue')), ...OTHERS}
    names = Object.keys(content).filter((name) => name !== 'kk' && name !== 'global')
    catalogue = await makeEnvironment({content, namespace})
    await cloud.deploy()
    plan = await catalogue.json<PlanDocument>('plan')
    await catalogue.deploy()
  })

  it('are each installed once, and the cloud stays unchanged', async () => {
    expect(await revisions(namespace)).toEqual(
      Object.fromEntries([...REQUIRED_BY_CATALOGUE, ...names].map((name) => [name, 1])),
    )
  })

  it('are installed in order: no object is written before its requirements are Ready', async () => {
    const of = await history(namespace)
    const edges = plan.actions.flatMap(({release, requires}) =>
      requires.map((required) => [nameOf(release), nameOf(required.release)] as const),
    )

    expect(edges).toEqual(
      expect.arrayContaining([
        ['magnum', 'barbican'],
        ['ceilometer', 'gnocchi'],
      ]),
    )
    for (const [name, required] of edges)
      expect(of(name).started > of(required).ready, `${name} after ${required}`).toBe(true)
  })

  it('have completed their jobs, and a second plan has no changes', async () => {
    const {items} = await get<Jobs>('jobs', '--namespace', namespace)
    const again = await catalogue.json<PlanDocument>('plan')

    expect(items.filter(({status}) => !status.succeeded).map(({metadata}) => metadata.name)).toEqual([])
    expect(again.actions.filter(({kind}) => kind !== 'unchanged')).toEqual([])
  })
})

interface Jobs {
  readonly items: readonly {
    readonly metadata: {readonly name: string}
    readonly status: {readonly succeeded?: number}
  }[]
}

function nameOf(release: string): string {
  return release.slice(release.indexOf('/') + 1)
}
