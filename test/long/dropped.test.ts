import {mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {get, kubectl, uniqueName} from '../e2e/support/cluster.ts'
import {makeEnvironment} from '../e2e/support/environment.ts'

const CHART = 'apiVersion: v2\nname: holder\nversion: 0.1.0\nannotations: {kk.openstack.org/requires: ""}\n'
const HOLDER = `
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}}
{{- with .Values.inner }}
---
apiVersion: v1
kind: Namespace
metadata: {name: {{ . }}}
{{- end }}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: {{ .Values.set }}}
spec:
  serviceName: server
  persistentVolumeClaimRetentionPolicy: {whenDeleted: {{ .Values.whenDeleted }}}
  selector: {matchLabels: {app: {{ .Values.set }}}}
  template:
    metadata: {labels: {app: {{ .Values.set }}}}
    spec: {containers: [{name: server, image: server}]}
  volumeClaimTemplates:
    - metadata: {name: data}
      spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`

async function holder() {
  const environment = await makeEnvironment()
  const chart = join(environment.directory, 'charts/holder')
  await mkdir(join(chart, 'templates'), {recursive: true})
  await writeFile(join(chart, 'Chart.yaml'), CHART)
  await writeFile(join(chart, 'templates/all.yaml'), HOLDER)
  const write = (values: object) =>
    environment.write({
      kk: {charts: [join(environment.directory, 'charts')]},
      holder: {set: 'server', whenDeleted: 'Retain', ...values},
    })
  return {environment, write}
}

const claimsOf = async (namespace: string) =>
  (await get<{items: {metadata: {name: string}}[]}>('pvc', '--namespace', namespace)).items.map(
    ({metadata}) => metadata.name,
  )

describe.concurrent('an object that a new revision no longer contains', () => {
  it('stays in a rollback', async () => {
    const {environment, write} = await holder()
    const inner = uniqueName('inner')
    await write({})
    await environment.deploy()
    await write({inner})
    await environment.deploy()

    const back = ['--release', 'holder', '--revision', '1', '--yes']
    const {exitCode, stderr} = await environment.kk('rollback', ...back)

    expect(exitCode, stderr).toBe(0)
    expect(stderr).toContain(`Namespace/${inner} stays`)
    expect((await get<{status: {phase: string}}>('namespace', inner)).status.phase).toBe('Active')
  })

  it('is refused if it is a StatefulSet that would delete its claims, and stays if it is a namespace', async () => {
    const {environment, write} = await holder()
    const inner = uniqueName('inner')
    await write({inner, whenDeleted: 'Delete'})
    await environment.deploy()
    await kubectl(['create', 'configmap', 'of-others', '--namespace', inner])
    await write({whenDeleted: 'Delete', set: 'other'})

    const refused = await environment.kk('deploy')
    await write({whenDeleted: 'Retain'})
    const {exitCode, stderr} = await environment.kk('deploy')
    const namespace = await get<{status: {phase: string}}>('namespace', inner)
    await write({set: 'other'})
    await environment.deploy()

    expect(refused.exitCode).toBe(3)
    expect(refused.stderr).toMatch(
      /KK_UNCONFIRMED.*StatefulSet\/server would be deleted, and with it, .*: data-server-0/,
    )
    expect(exitCode, stderr).toBe(0)
    expect(stderr).toContain(`Namespace/${inner} stays, with everything in it`)
    expect(namespace.status.phase).toBe('Active')
    await kubectl(['get', 'configmap', 'of-others', '--namespace', inner])
    expect(await claimsOf(environment.name)).toEqual(['data-other-0', 'data-server-0'])
  })
})
