import {mkdir, mkdtemp, readFile, rm, watch, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {loadAll} from 'js-yaml'
import {afterAll, beforeAll, beforeEach, describe, expect, it} from 'vitest'
import type {Helm} from '../../src/helm/helm.ts'
import {openHelm} from '../../src/helm/open.ts'
import {helmVersion} from '../../src/helm/version.ts'
import {testDirectory} from '../support/test-directory.ts'
import {toolPath} from '../support/tools.ts'
import {RECORDING, writeFakeHelm} from './support/fake-helm.ts'

const HELM_4 = {major: 4, minor: 2, text: 'v4.2.4'} as const
const CHANGE = {labels: {}, timeoutSeconds: 60}

/**
 * Notes how many render, and ends when four have been seen to at once, and an upgrade has ended beside them.
 */
const FOUR_AT_ONCE = `
if [ "$1" = upgrade ]; then
  while [ "$(ls "$D" | grep -c running)" -lt 4 ]; do sleep 0.02; done
  ${'printf \'%s\\n\' \'{"version":7,"info":{"status":"deployed"}}\''}
  exit
fi
: >"$D/running.$$"
ls "$D" | grep -c running >>"$D/log"
while [ ! -e "$D/upgraded" ]; do sleep 0.02; done
rm "$D/running.$$"
`

describe('openHelm with a recording helm', () => {
  let root: string
  let path: string
  beforeEach(async () => {
    root = testDirectory()
    await mkdir(join(root, 'chart'))
  })

  const fake = async (body: string, graceMilliseconds?: number) => {
    path = await writeFakeHelm(root, body)
    return openHelm({
      path,
      version: HELM_4,
      env: process.env,
      context: 'prod',
      ...(graceMilliseconds && {graceMilliseconds}),
    })
  }
  const call = (values: object = {}) => ({
    name: 'keystone',
    namespace: 'openstack',
    chart: join(root, 'chart'),
    values: {...values},
  })
  const recorded = (name: string) => readFile(join(root, name), 'utf8')

  it('passes values on standard input only', async () => {
    const helm = await fake(RECORDING)

    const changed = await helm.upgrade(call({password: 'hunter2', 'é\u0085': [1, null]}), CHANGE)

    expect(changed).toEqual({revision: 7, status: 'deployed', manifest: 'a: 1\n', hooks: ['b: 2']})
    expect(JSON.parse(await recorded('input'))).toEqual({password: 'hunter2', 'é\u0085': [1, null]})
    expect(await recorded('arguments')).not.toContain('hunter2')
    expect(await recorded('environment')).not.toContain('hunter2')
  })

  it('renders at most four charts at once, and delays no change of a release', async () => {
    const helm = await fake(FOUR_AT_ONCE)

    const renders = Array.from({length: 9}, () => helm.template(call()))
    await helm.upgrade(call(), CHANGE)
    await writeFile(join(root, 'upgraded'), '')
    await Promise.all(renders)

    const running = (await recorded('log')).trim().split('\n').map(Number)
    expect(running).toHaveLength(9)
    expect(Math.max(...running)).toBe(4)
  })

  it('passes the cluster to commands that change a release, and not to template', async () => {
    const helm = await fake(RECORDING)

    await helm.install(call(), CHANGE)
    expect(await recorded('arguments')).toContain('--kube-context\nprod\n')
    await helm.template(call())
    expect(await recorded('arguments')).not.toContain('prod')
  })

  it('previews an upgrade on the cluster: objects and hooks, but no tests', async () => {
    const hooks = [
      {manifest: 'b: 2\n', events: ['pre-upgrade']},
      {manifest: 'c: 3\n', events: ['test']},
    ]
    const answer = JSON.stringify({version: 2, info: {status: 'pending'}, manifest: '---\na: 1\n', hooks})
    const helm = await fake(`${RECORDING.replace(/printf '%s\\n' '{.*/, '')}cat <<'END'\n${answer}\nEND`)

    const stream = await helm.previewUpgrade(call({password: 'hunter2'}), 5)

    expect(loadAll(stream).filter((document) => document !== null)).toEqual([{a: 1}, {b: 2}])
    expect(await recorded('arguments')).toContain('--dry-run=server\n')
    expect(await recorded('environment')).toContain('HELM_DRIVER=memory\n')
    expect(JSON.parse(await recorded('input'))).toEqual({password: 'hunter2'})
  })

  it('relaxes garbage collection for renders, unless the user configures it', async () => {
    const helm = await fake(RECORDING)
    const told = openHelm({path, version: HELM_4, env: {...process.env, GOGC: '50'}})

    await helm.install(call(), CHANGE)
    expect(await recorded('environment')).not.toContain('GOGC=')
    await helm.template(call())
    expect(await recorded('environment')).toContain('GOGC=800')
    await told.template(call())
    expect(await recorded('environment')).toContain('GOGC=50')
  })

  it('rolls back without values, masks known secrets, and reports its process id', async () => {
    const helm = await fake(`${RECORDING}echo $$ >"$D/pid"; echo "Error: bad password hunter2" >&2; exit 1`)
    const pids: number[] = []
    const back = {name: 'keystone', namespace: 'openstack', revision: 3, values: {password: 'hunter2'}}

    const rollback = helm.rollback(back, {timeoutSeconds: 60, onStarted: (pid) => pids.push(pid)})

    await expect(rollback).rejects.toThrow('openstack/keystone: helm rollback failed: bad password ***')
    expect(await recorded('input')).toBe('')
    expect(pids).toEqual([Number(await recorded('pid'))])
  })

  it('reads the release from the output of a helm that received a signal, but succeeded', async () => {
    const helm = await fake(`echo "Release keystone has been cancelled."; ${RECORDING}`)

    expect(await helm.install(call(), CHANGE)).toMatchObject({revision: 7})
  })

  it('reports an output without a release as a failure', async () => {
    const helm = await fake('cat >/dev/null; echo fine')

    await expect(helm.install(call(), CHANGE)).rejects.toMatchObject({code: 'KK_HELM_FAILED'})
  })

  it('reports the failure of a helm that did not read its input', async () => {
    const helm = await fake('echo "Error: no" >&2; exit 1')

    await expect(helm.template(call({filler: 'x'.repeat(2_000_000)}))).rejects.toMatchObject({
      code: 'KK_HELM_FAILED',
      message: 'keystone: helm template failed: no',
    })
  })

  it('masks secrets in the output of helm', async () => {
    const helm = await fake('cat >/dev/null; echo "Error: bad password hunter2" >&2; exit 1')

    const error = await helm.install(call({auth: {password: 'hunter2'}}), CHANGE).catch((thrown) => thrown)

    expect(error.message).toBe('openstack/keystone: helm install failed: bad password ***')
    expect(JSON.stringify([error, error.log, String(error.cause)])).not.toContain('hunter2')
  })

  it('masks the secrets of other releases, and values that templates quote', async () => {
    const said = (text: string) =>
      `cat >/dev/null; echo "Error: execution error at (a.yaml:1:3): ${text}" >&2; exit 1`
    const quoted = "range can't iterate over hunter3"
    const helm = await fake(said(`boom hunter2; ${quoted}`))
    const mask = (text: string) => text.replaceAll('hunter2', '***')

    const error = await helm.template({...call({conf: 'hunter3'}), mask}).catch((thrown) => thrown)

    expect(error).toMatchObject({
      code: 'KK_RENDER',
      message:
        "keystone: the chart does not render: execution error at (a.yaml:1:3): boom ***; range can't iterate over ***",
    })
    expect(JSON.stringify(error.log)).not.toMatch(/hunter/)
  })

  it('reports that a missing helm cannot be started', async () => {
    const helm = await fake(RECORDING)
    await rm(path)

    await expect(helm.template(call())).rejects.toMatchObject({code: 'KK_HELM_MISSING'})
  })

  /** Aborts as soon as the fake helm has made the file. */
  const abortOnceRunning = async () => {
    const controller = new AbortController()
    const watcher = watch(root)
    void (async () => {
      for await (const {filename} of watcher) {
        if (filename !== 'running') continue
        controller.abort()
        return
      }
    })()
    return controller.signal
  }

  it('ends helm with SIGTERM, and reports that it has ended', async () => {
    const helm = await fake(
      'trap \'echo "Error: context canceled" >&2; exit 1\' TERM; : >"$D/running"; while :; do sleep 0.05; done',
    )

    const upgrade = helm.upgrade(call(), {...CHANGE, signal: await abortOnceRunning()})

    await expect(upgrade).rejects.toMatchObject({
      code: 'KK_INTERRUPTED',
      message: 'openstack/keystone: helm upgrade was terminated: it had time to mark the revision as failed',
      log: expect.arrayContaining(['Error: context canceled']),
    })
  })

  it('reports that another process killed helm', async () => {
    const helm = await fake('kill -KILL $$')

    await expect(helm.upgrade(call(), CHANGE)).rejects.toMatchObject({
      code: 'KK_HELM_FAILED',
      message: 'openstack/keystone: helm upgrade was ended by SIGKILL, not by kk',
    })
  })

  it('kills a helm that does not exit, with its children', async () => {
    const helm = await fake('trap "" TERM; sleep 60 & echo $! >"$D/child"; : >"$D/running"; wait; wait', 100)

    const upgrade = helm.upgrade(call(), {...CHANGE, signal: await abortOnceRunning()})

    await expect(upgrade).rejects.toThrow('was killed; the release may be left pending')
    const child = Number(await recorded('child'))
    expect(await isAlive(child)).toBe(false)
  })

  it('accepts the result of a helm that succeeded in spite of a signal', async () => {
    const helm = await fake(
      `trap 'echo "{\\"version\\":2,\\"info\\":{\\"status\\":\\"deployed\\"}}"; exit 0' TERM; : >"$D/running"; while :; do sleep 0.05; done`,
    )

    expect(await helm.upgrade(call(), {...CHANGE, signal: await abortOnceRunning()})).toMatchObject({
      revision: 2,
    })
  })

  it('does not start helm after an abort', async () => {
    const helm = await fake(RECORDING)

    await expect(helm.install(call(), {...CHANGE, signal: AbortSignal.abort()})).rejects.toMatchObject({
      code: 'KK_INTERRUPTED',
    })
    await expect(recorded('arguments')).rejects.toThrow('ENOENT')
  })
})

/** A process that was killed can be a zombie of whoever inherited it for a moment. */
async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  return stat !== undefined && !/\) Z /.test(stat)
}

describe.each(['helm3', 'helm4'] as const)('with a real %s', (name) => {
  let chart: string
  let helm: Helm
  beforeAll(async () => {
    chart = await mkdtemp(join(tmpdir(), 'kk,chart-'))
    await mkdir(join(chart, 'templates'))
    await writeFile(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: api\nversion: 0.1.0\n')
    await writeFile(join(chart, 'values.schema.json'), '{"properties": {"port": {"type": "integer"}}}')
    await writeFile(
      join(chart, 'templates', 'map.yaml'),
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ required "a name is needed" .Values.name | quote }}}\n',
    )
    const path = await toolPath(name)
    helm = openHelm({path, version: await helmVersion(path, process.env), env: process.env})
  }, 600_000)
  afterAll(() => rm(chart, {recursive: true, force: true}))

  const render = (values: object) =>
    helm.template({name: 'api', namespace: 'openstack', chart, values: {...values}})

  it('renders a chart whose path contains a comma, and strings that YAML 1.1 misreads', async () => {
    expect(await render({name: 'a\u0085b: "yes"'})).toContain('metadata: {name: "a\\u0085b: \\"yes\\""}')
  })

  it('reports the position at which a chart does not render', async () => {
    await expect(render({})).rejects.toMatchObject({
      code: 'KK_RENDER',
      message: expect.stringMatching(
        /^api: the chart does not render: .*api\/templates\/map\.yaml:3:.*a name is needed/,
      ),
    })
  })

  it('omits values that a template cannot iterate over', async () => {
    const walking = join(chart, 'walking')
    await mkdir(join(walking, 'templates'), {recursive: true})
    await writeFile(join(walking, 'Chart.yaml'), 'apiVersion: v2\nname: walking\nversion: 0.1.0\n')
    await writeFile(
      join(walking, 'templates', 'map.yaml'),
      '{{ range $key, $value := .Values.conf }}{{ end }}',
    )
    const call = {name: 'api', namespace: 'openstack', chart: walking, values: {conf: 'S3cret\ntwo'}}

    const error = await helm.template(call).catch((thrown) => thrown)

    expect(error.message).toMatch(
      /walking\/templates\/map\.yaml:1:\d+:? .*<\.Values\.conf>: range can't iterate over \*\*\*$/,
    )
    expect(JSON.stringify(error.log)).not.toMatch(/S3cret|two/)
  })

  it('terminates an endless render at the timeout of the release, and names both', async () => {
    const endless = join(chart, 'endless')
    await mkdir(join(endless, 'templates'), {recursive: true})
    await writeFile(join(endless, 'Chart.yaml'), 'apiVersion: v2\nname: endless\nversion: 0.1.0\n')
    await writeFile(join(endless, 'templates', 'map.yaml'), '{{ range 9223372036854775807 }}{{ end }}')
    const call = {name: 'api', namespace: 'openstack', chart: endless, values: {}, timeoutSeconds: 1}

    await expect(helm.template(call)).rejects.toMatchObject({
      code: 'KK_RENDER',
      message:
        'openstack/api: the chart does not render: helm was terminated after 1 s, its kk.releases.api.timeout',
      hint: expect.stringContaining('look for an endless loop in the templates of api'),
    })
  })

  it('reports the value that violates the schema', async () => {
    await expect(render({name: 'x', port: 'http'})).rejects.toMatchObject({
      code: 'KK_VALUES',
      message: "api: the values break the schema of the chart: api: at '/port': got string, want integer",
    })
  })

  it('reports a directory that is not a chart', async () => {
    const call = {name: 'api', namespace: 'openstack', chart: join(chart, 'templates'), values: {}}

    await expect(helm.template(call)).rejects.toMatchObject({code: 'KK_CHART'})
  })
})
