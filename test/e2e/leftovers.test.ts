import {cp, mkdir, writeFile} from 'node:fs/promises'
import {hostname, userInfo} from 'node:os'
import {join} from 'node:path'
import {beforeAll, describe, expect, it} from 'vitest'
import type {RunEntry} from '../../src/kubernetes/records/run-entry.ts'
import type {ReleaseDrift} from '../../src/verbs/observation/drift.ts'
import {get, kubectl} from './support/cluster.ts'
import {visit} from './support/doctor.ts'
import {FIXTURES, makeEnvironment, type TestEnvironment} from './support/environment.ts'

interface Names {
  readonly items: readonly {readonly metadata: {readonly name: string}}[]
}

async function namesOf(kind: string, namespace: string): Promise<readonly string[]> {
  const {items} = await get<Names>(kind, '--namespace', namespace)
  return items.map(({metadata}) => metadata.name)
}

/** Rendered before the Deployment: helm has made it when that fails. */
const EXTRA = `
{{- if .Values.extra }}
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-extra}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-kept, annotations: {helm.sh/resource-policy: keep}}
{{- end }}
`
const definition = (kind: string, columns = '[]') => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${kind}s.tests.kk.openstack.org}
spec:
  group: tests.kk.openstack.org
  scope: Namespaced
  names: {kind: ${kind}, plural: ${kind}s, singular: ${kind}}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object}}
      additionalPrinterColumns: ${columns}
`

describe('an object that a failed upgrade created and helm no longer tracks', () => {
  let environment: TestEnvironment
  let charts: string
  let crd: string
  let kind: string
  const write = (values: object) =>
    environment.write({kk: {charts: [charts], releases: {api: {chart: 'workload'}}}, api: values})
  const driftOf = async () =>
    (await environment.json<{releases: readonly ReleaseDrift[]}>('drift')).releases[0]!
  beforeAll(async () => {
    environment = await makeEnvironment()
    charts = join(environment.directory, 'charts')
    const workload = join(charts, 'workload')
    await cp(join(FIXTURES, 'workload'), workload, {recursive: true})
    await writeFile(join(workload, 'templates/extra.yaml'), EXTRA)
    await mkdir(join(workload, 'crds'))
    kind = environment.name.replaceAll('-', '')
    crd = join(workload, 'crds/thing.yaml')
    await writeFile(crd, definition(kind))
    await write({})
    await environment.deploy()
    await write({extra: true, claim: 'general', job: {hook: 'post-upgrade', pod: {fail: 'JobFailed'}}})
    const failed = await environment.kk('deploy')
    expect(failed.exitCode, failed.stderr).toBe(1)
  })

  it('is not touched while the failed revision, which may need it, is the last', async () => {
    const {exitCode, stdout, stderr} = await environment.kk('drift', '--prune', '--yes')

    expect(exitCode, stderr).toBe(0)
    expect(stdout + stderr).toContain('left alone: revision 2 is failed, and may need them: deploy it first')
    expect(await namesOf('configmaps', environment.name)).toContain('api-extra')
  })

  it('is shown by drift after a deploy has fixed the release, and so is a changed file in crds/', async () => {
    await writeFile(crd, definition(kind, '[{name: Age, type: date, jsonPath: .metadata.creationTimestamp}]'))
    await write({})
    await environment.deploy()

    const {leftovers, crds} = await driftOf()
    const {stdout} = await environment.kk('drift')

    expect(leftovers.map(({kind, name, revision, kept}) => ({kind, name, revision, kept}))).toEqual([
      {kind: 'ConfigMap', name: 'api-extra', revision: 2, kept: undefined},
      {kind: 'ConfigMap', name: 'api-kept', revision: 2, kept: 'policy'},
      {kind: 'PersistentVolumeClaim', name: 'api', revision: 2, kept: 'data'},
    ])
    expect(crds).toMatchObject([{kind: 'CustomResourceDefinition', state: 'changed'}])
    expect(stdout).toContain('ConfigMap/api-extra of revision 2')
    expect(stdout).toContain('PersistentVolumeClaim/api of revision 2, stays: it holds data')
    expect(stdout).toContain('kk drift --prune')
    expect(stdout).toContain('definitions are applied by hand')
  })

  it('is also shown by status and doctor, with the command that removes it', async () => {
    const status = await environment.kk('status')
    const {find} = await visit([environment.file])

    expect(status.exitCode, status.stderr).toBe(0)
    expect(status.stdout).toContain(
      'api: left over from a failed revision, and forgotten by helm: ConfigMap/api-extra, ConfigMap/api-kept (stays: helm.sh/resource-policy: keep), PersistentVolumeClaim/api (stays: it holds data); to delete it: kk drift api --prune',
    )
    const forgotten = find(
      'forgotten',
      `a failed revision of ${environment.name}/api created ConfigMap/api-extra`,
    )
    expect(forgotten.advice).toBe(`kk drift api --prune ${environment.file}`)
  })

  it('is not pruned without confirmation, nor by a dry run', async () => {
    const unasked = await environment.kk('drift', '--prune')
    const dry = await environment.kk('drift', '--prune', '--dry-run')

    expect(unasked.exitCode).toBe(3)
    expect(unasked.stderr).toContain('KK_UNCONFIRMED')
    expect([dry.exitCode, dry.stderr]).toEqual([0, ''])
    expect(dry.stdout).toContain('prune: 1 object to delete, 2 to stay')
    expect(await namesOf('configmaps', environment.name)).toContain('api-extra')
  })

  it('is pruned, except claims and kept objects', async () => {
    await kubectl(['create', 'configmap', 'bystander', '--namespace', environment.name])

    const {exitCode, stderr} = await environment.kk(
      'drift',
      'api',
      '--prune',
      '--yes',
      '--message',
      'tidy up',
    )

    expect(exitCode, stderr).toBe(0)
    expect(stderr).toMatch(/^\S+ +api +deleted ConfigMap\/api-extra$/m)
    const left = await namesOf('configmaps', environment.name)
    expect(left).toEqual(expect.arrayContaining(['api-kept', 'bystander']))
    expect(left).not.toContain('api-extra')
    expect(await namesOf('persistentvolumeclaims', environment.name)).toEqual(['api'])
  })

  it('is in the history of the environment after its deletion, with user, time and message', async () => {
    const {runs} = await environment.json<{runs: readonly RunEntry[]}>('history')
    const {stdout} = await environment.kk('history')

    expect(runs[0]).toMatchObject({
      verb: 'drift',
      who: `${userInfo().username}@${hostname()}`,
      message: 'tidy up',
      state: 'succeeded',
      releases: [
        {kind: 'prune', outcome: 'succeeded', before: 3, after: 3, deleted: ['ConfigMap/api-extra']},
      ],
    })
    expect(stdout).toMatch(/ drift +\S+ +succeeded +1 succeeded; deleted ConfigMap\/api-extra +tidy up$/m)
  })

  it('is reported as absent when nothing is left to prune', async () => {
    const {exitCode, stderr} = await environment.kk('drift', '--prune')

    expect(exitCode).toBe(0)
    expect(stderr).toContain('prune: 0 objects to delete, 2 to stay')
  })
})
