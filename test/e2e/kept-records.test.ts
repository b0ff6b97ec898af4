import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {gunzipSync} from 'node:zlib'
import {beforeAll, describe, expect, it} from 'vitest'
import type {PlanDocument} from '../../src/report/plan/plan-json.ts'
import {get, kubectl} from './support/cluster.ts'
import {kk} from './support/kk.ts'

const FIXTURE = join(import.meta.dirname, '../fixtures/kept-records')
/** The namespace of the environment, which the records name. */
const NAMESPACE = 'kept'

interface Secrets {
  readonly items: readonly {readonly data: {readonly release?: string}}[]
}

/** Returns what helm made of the release that a record is of; nothing for a Secret that is no record. */
function manifestOf({data}: Secrets['items'][number]): string {
  if (data.release === undefined) return ''
  const packed = Buffer.from(Buffer.from(data.release, 'base64').toString(), 'base64')
  return JSON.parse(gunzipSync(packed).toString()).manifest
}

/** Returns the records on the cluster with all that a change of them would change. */
const records = () => get('secrets', '--namespace', NAMESPACE, '--selector', 'owner=helm')

describe('an environment deployed by a kk version from before its folders moved', () => {
  beforeAll(async () => {
    const kept = JSON.parse(await readFile(join(FIXTURE, 'records.json'), 'utf8')) as Secrets
    const namespaces = [NAMESPACE, 'kk-system'].map((name) => ({
      ...{apiVersion: 'v1', kind: 'Namespace'},
      metadata: {name},
    }))
    const list = {apiVersion: 'v1', kind: 'List', items: [...namespaces, ...kept.items]}
    await kubectl(['apply', '--server-side', '--filename', '-'], {input: list})
    const manifests = kept.items.map(manifestOf).join('\n---\n')
    await kubectl(['apply', '--namespace', NAMESPACE, '--filename', '-'], {input: manifests})
  })

  it('has a plan with each release unchanged, and no note', async () => {
    const {exitCode, stdout, stderr} = await kk(['plan', 'environment.yaml', '--output', 'json'], {
      cwd: FIXTURE,
    })

    expect(exitCode, stderr).toBe(0)
    const {actions, changes, notes} = JSON.parse(stdout) as PlanDocument
    expect(actions.map(({release, kind}) => `${release} ${kind}`).sort()).toEqual(
      ['api', 'cache', 'keystone', 'mariadb'].map((name) => `${NAMESPACE}/${name} unchanged`),
    )
    expect([changes, notes ?? []]).toEqual([false, []])
  })

  it('is not changed by a deploy', async () => {
    const before = await records()

    const {exitCode, stderr} = await kk(['deploy', 'environment.yaml', '--yes'], {cwd: FIXTURE})

    expect(exitCode, stderr).toBe(0)
    expect(stderr).toContain('plan: 4 unchanged')
    expect(await records()).toEqual(before)
  })
})
