import {cp, mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {gunzipSync, gzipSync} from 'node:zlib'
import {beforeAll, describe, expect, it} from 'vitest'
import {get, kubectl, makeNamespace, uniqueName, waitFor} from '../e2e/support/cluster.ts'
import {customResource} from '../e2e/support/custom-resource.ts'
import {done, startOwnCluster} from '../e2e/support/guarded.ts'
import {plainHelm} from '../e2e/support/plain-helm.ts'
import {helmRecords} from '../e2e/support/records.ts'
import {testDirectory} from '../support/test-directory.ts'

/** `docs/helm-gaps.md` names each of these tests, and what kk does instead. */

const CHARTS = join(import.meta.dirname, '../fixtures/gaps')
const TINY = join(CHARTS, 'tiny')

let namespace: string
beforeAll(async () => {
  namespace = await makeNamespace('gaps')
})

type Values = Readonly<Record<string, unknown>>

/** `helm <words> --namespace …`, with values on standard input if there are any. */
function helm(words: readonly string[], values?: Values, version: 'helm3' | 'helm4' = 'helm4') {
  const file = values ? ['--values', '-'] : []
  const input = values ? JSON.stringify(values) : ''
  return plainHelm([...words, '--namespace', namespace, ...file], {input, version})
}

async function succeed(...args: Parameters<typeof helm>): Promise<string> {
  const {exitCode, stdout, stderr} = await helm(...args)
  expect(exitCode, stderr).toBe(0)
  return stdout
}

function install(name: string, values?: Values): Promise<string> {
  return succeed(['install', name, TINY], values)
}

interface Named {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly labels?: Readonly<Record<string, string>>
  }
}

interface ConfigMap extends Named {
  readonly data?: {readonly text?: string}
}

function inNamespace<T = Named>(kind: string, name: string): Promise<T> {
  return get<T>(kind, name, '--namespace', namespace)
}

async function names(kind: string, selector = ''): Promise<readonly string[]> {
  const words = ['--namespace', namespace, '--selector', selector]
  const {items} = await get<{items: readonly Named[]}>(kind, ...words)
  return items.map(({metadata}) => metadata.name)
}

/** `2 pending-upgrade` for each revision. */
async function revisionsOf(name: string): Promise<readonly string[]> {
  const records = (await helmRecords(namespace)).filter((each) => each.name === name)
  return records.map(({revision, status}) => `${revision} ${status}`).sort()
}

/** An upgrade that waits for its hook, until it is killed. */
async function startUpgrade(name: string): Promise<{readonly kill: () => Promise<void>}> {
  await install(name)
  const upgrade = helm(['upgrade', name, TINY], {waits: true})
  await waitFor(async () => (await revisionsOf(name)).includes('2 pending-upgrade'), {
    until: 'the upgrade waits',
  })
  return {
    async kill() {
      upgrade.kill('SIGKILL')
      await upgrade
    },
  }
}

/** Helm's words to act as somebody who may do this with records, and everything with ConfigMaps. */
async function somebodyWho(verbs: string): Promise<readonly string[]> {
  const name = uniqueName('somebody')
  const role = ['create', 'role', '--namespace', namespace]
  await kubectl([...role, name, `--verb=${verbs}`, '--resource=secrets'])
  await kubectl([...role, `${name}-maps`, '--verb=*', '--resource=configmaps'])
  for (const each of [name, `${name}-maps`]) {
    const binding = ['create', 'rolebinding', each, '--namespace', namespace]
    await kubectl([...binding, `--role=${each}`, `--user=${name}`])
  }
  return ['--kube-as-user', name]
}

describe.concurrent('plain helm', () => {
  it('removes a database that other releases use', async () => {
    await install('db')
    await install('api')

    const removed = await helm(['uninstall', 'db'])

    expect(removed.exitCode).toBe(0)
    expect(await names('configmaps')).not.toContain('db')
    expect(await revisionsOf('api')).toEqual(['1 deployed'])
  })

  it('gives each chart with the same subchart a separate database', async () => {
    await succeed(['install', 'glance', join(CHARTS, 'service')])
    await succeed(['install', 'keystone', join(CHARTS, 'service')])

    expect(await names('configmaps', 'what=database')).toEqual(['glance-database', 'keystone-database'])
  })

  it('is blocked forever by a killed upgrade', async () => {
    const upgrade = await startUpgrade('killed')
    await upgrade.kill()

    const next = await helm(['upgrade', 'killed', TINY])

    expect(next.exitCode).toBe(1)
    expect(next.stderr).toMatch(/another operation .* is in progress/)
    expect(await revisionsOf('killed')).toEqual(['1 deployed', '2 pending-upgrade'])
  })

  it('rolls back and uninstalls during a running upgrade', async () => {
    const upgrade = await startUpgrade('busy')

    const back = await helm(['rollback', 'busy', '1'])
    const gone = await helm(['uninstall', 'busy'])
    await upgrade.kill()

    expect([back.exitCode, gone.exitCode], back.stderr + gone.stderr).toEqual([0, 0])
    expect(await revisionsOf('busy')).toEqual([])
  })

  it('creates a revision and runs hooks without any change', async () => {
    await install('same', {hook: true})
    const before = await inNamespace('configmap', 'same-hook')

    await succeed(['upgrade', 'same', TINY], {hook: true})

    expect(await revisionsOf('same')).toEqual(['1 superseded', '2 deployed'])
    expect((await inNamespace('configmap', 'same-hook')).metadata.uid).not.toBe(before.metadata.uid)
  })

  it('reuses the old values without new ones, and drops the old values with any new one', async () => {
    await install('values', {text: 'mine'})
    const text = async () => (await inNamespace<ConfigMap>('configmap', 'values')).data?.text

    await succeed(['upgrade', 'values', TINY])
    const withNone = await text()
    await succeed(['upgrade', 'values', TINY], {also: []})
    const withOthers = await text()

    expect([withNone, withOthers]).toEqual(['mine', 'default'])
  })

  it('no longer tracks the objects of a failed revision', async () => {
    await install('forgets')
    const failed = await helm(['upgrade', 'forgets', TINY], {also: ['forgotten'], broken: true})

    await succeed(['upgrade', 'forgets', TINY], {text: 'next'})
    await succeed(['uninstall', 'forgets'])

    expect(failed.exitCode).toBe(1)
    expect(await names('configmaps')).toContain('forgotten')
  })

  it('deletes the objects of a failed first install with --rollback-on-failure', async () => {
    const words = ['install', 'first', TINY, '--rollback-on-failure', '--wait=hookOnly']

    const failed = await helm(words, {also: ['evidence'], broken: true})

    expect(failed.exitCode).toBe(1)
    expect(failed.stderr).toContain('uninstalled')
    expect(await revisionsOf('first')).toEqual([])
    expect(await names('configmaps')).not.toContain('evidence')
  })

  it('treats a record that cannot be read as no release', async ({onTestFinished}) => {
    // On a cluster of its own: kk would remove nothing anywhere while there is such a record.
    const cluster = await startOwnCluster()
    onTestFinished(cluster.end)
    await done(cluster.helm('helm4', 'install', 'garbage', TINY))
    const patch = JSON.stringify({stringData: {release: 'garbage'}})
    await done(cluster.kubectl('patch', 'secret', 'sh.helm.release.v1.garbage.v1', '--patch', patch))

    const status = await cluster.helm('helm4', 'status', 'garbage')
    const list = await done(cluster.helm('helm4', 'list', '--short'))

    expect(status.stderr).toMatch(/no revision for release|not found/)
    expect(list.split('\n')).not.toContain('garbage')
    expect(await done(cluster.kubectl('get', 'configmaps', '--output', 'name'))).toContain('garbage')
  })

  it('fails in the middle of an upgrade if the template of a Job has changed', async () => {
    await install('job', {job: 'one'})

    const failed = await helm(['upgrade', 'job', TINY], {job: 'two', text: 'new'})

    expect(failed.exitCode).toBe(1)
    expect(failed.stderr).toContain('field is immutable')
    expect((await inNamespace<ConfigMap>('configmap', 'job')).data?.text).toBe('new')
  })

  it('keeps a failed Job, and reports the release as deployed', async () => {
    await install('failing', {job: 'one', fails: true})
    const {metadata} = await inNamespace('job', 'failing')
    await kubectl([
      ...['wait', 'job/failing', '--namespace', namespace],
      ...['--for=condition=Failed', '--timeout=60s'],
    ])

    await succeed(['upgrade', 'failing', TINY], {job: 'one', fails: true})

    expect((await inNamespace('job', 'failing')).metadata.uid).toBe(metadata.uid)
    expect(await revisionsOf('failing')).toEqual(['1 superseded', '2 deployed'])
  })

  it('never upgrades CRDs in crds/', async () => {
    const directory = testDirectory()
    const plural = uniqueName('gaps')
    const chart = async (description: string) => {
      const path = join(directory, description)
      await cp(TINY, path, {recursive: true})
      await mkdir(join(path, 'crds'))
      await writeFile(join(path, 'crds/crd.yaml'), JSON.stringify(customResource(plural, description)))
      return path
    }
    await succeed(['install', 'crds', await chart('old')])

    await succeed(['upgrade', 'crds', await chart('new')])

    const live = await kubectl(['get', 'crd', `${plural}.example.org`, '--output', 'json'])
    await kubectl(['delete', 'crd', `${plural}.example.org`, '--wait=false'])
    expect(JSON.parse(live).spec.versions[0].schema.openAPIV3Schema.description).toBe('old')
  })

  it('leaves the claims of a StatefulSet without a message', async () => {
    await install('store', {claim: true})
    const isMade = async () => (await names('persistentvolumeclaims')).includes('data-store-0')
    await waitFor(isMade, {until: 'the claim is there'})

    const removed = await helm(['uninstall', 'store'])

    expect(removed.exitCode).toBe(0)
    expect(removed.stdout + removed.stderr).not.toContain('data-store')
    expect(await names('persistentvolumeclaims')).toContain('data-store-0')
  })

  it('succeeds if it can delete all objects but cannot write the record', async () => {
    await install('unwritten')
    const somebody = await somebodyWho('get,list')

    const removed = await helm(['uninstall', 'unwritten', '--keep-history', ...somebody])

    expect(removed.exitCode, removed.stderr).toBe(0)
    expect(await names('configmaps')).not.toContain('unwritten')
    expect(await revisionsOf('unwritten')).toEqual(['1 deployed'])
  })

  it('succeeds if it can install all objects but cannot write the record', async () => {
    const somebody = await somebodyWho('get,list,create')

    const installed = await helm(['install', 'unended', TINY, ...somebody])

    expect(installed.exitCode, installed.stderr).toBe(0)
    expect(installed.stdout).toContain('STATUS: deployed')
    expect(await revisionsOf('unended')).toEqual(['1 pending-install'])
  })

  it('copies the labels of a record to revisions of other tools', async () => {
    await succeed(['install', 'labels', TINY, '--labels', 'digest=abc'])

    await succeed(['upgrade', 'labels', TINY], {text: 'by hand'})

    const records = (await helmRecords(namespace)).filter(({name}) => name === 'labels')
    expect(records.map(({revision, labels}) => [revision, labels.digest]).sort()).toEqual([
      [1, 'abc'],
      [2, 'abc'],
    ])
  })

  it('works with helm 3 on releases that helm 4 applied, and converts them without a message', async () => {
    await install('converted')
    const method = async () =>
      JSON.parse(await succeed(['get', 'metadata', 'converted', '--output', 'json'])).applyMethod
    const before = await method()

    const {exitCode, stderr} = await helm(['upgrade', 'converted', TINY], {text: 'three'}, 'helm3')

    expect([exitCode, stderr]).toEqual([0, ''])
    expect([before, await method()]).toEqual(['ssa', undefined])
  })

  it('renders a large number of a values file differently from the same number of --set', async () => {
    const text = async (words: readonly string[], values?: Values) =>
      /text: "(.*)"/.exec(await succeed(['template', 'large', TINY, ...words], values))?.[1]

    const ofFile = await text([], {text: 1000000})
    const ofFlag = await text(['--set', 'text=1000000'])

    expect([ofFile, ofFlag]).toEqual(['1e+06', '1000000'])
  })

  it('lists 256 releases without a note that more exist', async () => {
    await install('original')
    const crowd = await makeNamespace('gaps-crowd')
    const copies = await copiesOf('original', 257)
    const create = (items: readonly object[]) =>
      kubectl(['create', '--namespace', crowd, '--filename', '-'], {
        input: {apiVersion: 'v1', kind: 'List', items},
      })
    await Promise.all([create(copies.slice(0, 128)), create(copies.slice(128))])

    const list = await plainHelm(['list', '--namespace', crowd, '--output', 'json'])

    await kubectl(['delete', 'namespace', crowd, '--wait=false'])
    expect(JSON.parse(list.stdout)).toHaveLength(256)
    expect(list.stderr).toBe('')
  })
})

/** The record of a release under so many other names. */
async function copiesOf(name: string, count: number): Promise<readonly object[]> {
  const record = await inNamespace<{data: {release: string}}>('secret', `sh.helm.release.v1.${name}.v1`)
  const payload = Buffer.from(Buffer.from(record.data.release, 'base64').toString(), 'base64')
  const release = JSON.parse(gunzipSync(payload).toString())
  return Array.from({length: count}, (_, index) => {
    const copy = `copy-${index}`
    const zipped = gzipSync(JSON.stringify({...release, name: copy}))
    return {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'helm.sh/release.v1',
      metadata: {
        name: `sh.helm.release.v1.${copy}.v1`,
        labels: {owner: 'helm', name: copy, status: 'deployed', version: '1'},
      },
      stringData: {release: zipped.toString('base64')},
    }
  })
}
