import {mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import type {PlanDocument} from '../../src/report/plan/plan-json.ts'
import {atNight} from '../support/night.ts'
import {annotatePods} from './support/annotate-pods.ts'
import {auditEvents, get, kubectl, makeNamespace, waitFor} from './support/cluster.ts'
import {customResource} from './support/custom-resource.ts'
import {type EnvironmentContent, makeEnvironment} from './support/environment.ts'
import {history} from './support/history.ts'

/** Charts that say nothing of what they require. */
const CHARTS = join(import.meta.dirname, '../fixtures/unannotated')

function cloud(releases: readonly string[], kk: object = {}): EnvironmentContent {
  return {kk: {charts: [CHARTS], ...kk}, ...Object.fromEntries(releases.map((name) => [name, {}]))}
}

describe.concurrent('an environment without a stated requirement', () => {
  it('is deployed in the inferred order: no object is written before its requirements are Ready, or exist', async () => {
    const namespace = await makeNamespace('inferred')
    const releases = ['cache', 'dashboard', 'keystone', 'libvirt', 'mariadb', 'neutron', 'nova', 'operator']
    const environment = await makeEnvironment({content: cloud(releases), namespace})
    await annotatePods({
      namespace,
      labels: {application: 'mariadb'},
      annotations: {'sandbox.kk.openstack.org/ready-after': '2s'},
    })

    const plan = await environment.json<PlanDocument>('plan')
    await environment.deploy()

    const edges = plan.actions.flatMap(({release, requires}) =>
      requires.map((required) => ({from: nameOf(release), to: nameOf(required.release), ...required})),
    )
    expect(edges.length).toBeGreaterThanOrEqual(12)
    expect(edges.filter(({inferred}) => inferred === undefined)).toEqual([])
    const of = await history(namespace)
    for (const {from, to, kind} of edges) {
      if (kind === 'ready') expect(of(from).started > of(to).ready, `${from} after ${to}`).toBe(true)
    }
    const caches = await get<{items: readonly unknown[]}>('caches', '--namespace', namespace)
    expect(caches.items, 'the chart that asks for its kind was rendered with it').toHaveLength(1)
    expect(await firstPods(namespace, 'keystone-db-sync')).toSatisfy((at: string) => at > of('mariadb').ready)

    const again = await environment.json<PlanDocument>('plan')
    const calls = await environment.helmCalls()
    await environment.deploy()
    expect(again.changes).toBe(false)
    expect(await environment.helmCalls(), 'an unchanged environment starts no helm').toEqual(calls)
  })

  it('is refused before any change if a hook would wait for an object that no release creates', async () => {
    const namespace = await makeNamespace('inferred')
    const environment = await makeEnvironment({content: cloud(['keystone']), namespace})

    const {exitCode, stderr} = await environment.kk('deploy')

    expect(exitCode).toBe(2)
    expect(stderr).toContain('KK_UNSERVED')
    const helms = ({userAgent}: {userAgent?: string}) => userAgent?.startsWith('Helm')
    expect((await auditEvents(namespace)).filter(helms)).toEqual([])
  })

  atNight(() => {
    it('starts the members of a cycle through a hook together instead of hanging, with a note', async () => {
      const environment = await makeEnvironment({content: cloud(['ping', 'pong'])})

      const plan = await environment.json<PlanDocument>('plan')
      await environment.deploy()

      expect(plan.actions.map(({group}) => group.map(nameOf))).toEqual([
        ['ping', 'pong'],
        ['ping', 'pong'],
      ])
      expect(plan.notes).toEqual([expect.stringContaining('a hook waits there: Job/ping-hook (hook)')])
    })

    it('is planned as known after apply if the plan adds a kind, also for a chart that fails without the kind', async () => {
      const environment = await makeEnvironment()
      const charts = join(environment.directory, 'charts')
      const definition = customResource(environment.name, 'A thing')
      const {kind} = definition.spec.names
      await writeChart(charts, 'definitions', JSON.stringify(definition))
      await writeChart(charts, 'things', thingOf(kind))
      await environment.write({kk: {charts: [charts]}, things: {}, definitions: {}})

      const first = await environment.json<PlanDocument>('plan')
      const cached = await environment.json<PlanDocument>('plan')
      const {stderr} = await environment.kk('plan')
      await environment.deploy()
      await environment.write({kk: {charts: [charts]}, things: {size: 2}, definitions: {}})
      const upgrade = await environment.json<PlanDocument>('plan')
      const other = await makeEnvironment({content: {kk: {charts: [charts]}, things: {}}})
      const alone = await other.json<PlanDocument>('plan')

      const later = [{release: `${environment.name}/things`, object: `${kind}/one`}]
      expect([first.knownAfterApply, cached.knownAfterApply]).toEqual([later, later])
      expect(stderr).toContain(`known after apply, for its kind comes with this plan: things: ${kind}/one`)
      expect(upgrade.knownAfterApply).toBeUndefined()
      expect(upgrade.counts.upgrade).toBe(1)
      expect(alone, 'the cluster has the kind, though no chart brings it').not.toHaveProperty('notes')
      expect(alone.knownAfterApply).toBeUndefined()
    })

    it('is healthy when its custom resources match the readiness rules of the environment', async () => {
      const readiness = {'Cache.example.kk.openstack.org': {path: '.status.phase', value: 'Running'}}
      const environment = await makeEnvironment({content: cloud(['operator', 'cache'], {readiness})})
      const deployed = environment.deploy()
      const cache = ['caches', 'cache', '--namespace', environment.name]
      await waitFor(() => kubectl(['get', ...cache]).catch(() => undefined), {until: 'the Cache exists'})

      const {stdout} = await environment.kk('status')
      const patch = JSON.stringify({status: {phase: 'Running'}})
      await kubectl(['patch', ...cache, '--type', 'merge', '--patch', patch])
      await deployed

      expect(stdout).toContain('.status.phase is not set, not Running')
    })
  })
})

/** A chart with one template, which says nothing of what it requires. */
async function writeChart(charts: string, name: string, template: string): Promise<void> {
  await mkdir(join(charts, name, 'templates'), {recursive: true})
  await writeFile(join(charts, name, 'Chart.yaml'), `apiVersion: v2\nname: ${name}\nversion: 0.1.0\n`)
  await writeFile(join(charts, name, 'templates/all.yaml'), template)
}

const thingOf = (kind: string) => `
{{- if not (.Capabilities.APIVersions.Has "example.org/v1/${kind}") }}
{{- fail "you have to deploy ${kind} first" }}
{{- end }}
apiVersion: example.org/v1
kind: ${kind}
metadata: {name: one, labels: {size: "{{ .Values.size | default 1 }}"}}
`

function nameOf(release: string): string {
  return release.slice(release.indexOf('/') + 1)
}

/** When the first pod whose name begins so was written. */
async function firstPods(namespace: string, prefix: string): Promise<string> {
  const events = await auditEvents(namespace)
  const first = events.find(
    ({verb, objectRef}) =>
      objectRef?.resource === 'pods' && verb !== 'delete' && objectRef.name?.startsWith(prefix),
  )
  return first?.requestReceivedTimestamp ?? ''
}
