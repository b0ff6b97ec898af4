import {randomBytes} from 'node:crypto'
import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, inject, it} from 'vitest'
import {get, kubectl, makeNamespace, uniqueName} from './support/cluster.ts'
import {customResource} from './support/custom-resource.ts'
import {CHARTS, type EnvironmentContent, makeEnvironment, workloads} from './support/environment.ts'
import {kk} from './support/kk.ts'
import {objectsChart} from './support/objects-chart.ts'
import {plainHelm} from './support/plain-helm.ts'
import {helmRecords, revisions} from './support/records.ts'

interface Options {
  readonly namespace?: string
  readonly infer?: boolean
  /** Whether no release requires another. */
  readonly isApart?: boolean
}

/** An environment of releases that make the given objects, one after the other. */
async function ofObjects(
  releases: Readonly<Record<string, readonly object[]>>,
  {namespace, infer = true, isApart = false}: Options = {},
) {
  const environment = await makeEnvironment(namespace === undefined ? {} : {namespace})
  const charts = [await objectsChart(environment.directory)]
  const write = (wanted: Readonly<Record<string, readonly object[]>>, more: object = {}) => {
    const names = Object.keys(wanted)
    const settings = names.map((name, at) => [
      name,
      {chart: 'objects', requires: names.slice(0, isApart ? 0 : at)},
    ])
    const sections = names.map((name) => [name, {objects: wanted[name]}])
    const content: EnvironmentContent = {
      kk: {charts, infer, releases: Object.fromEntries(settings), ...more},
    }
    return environment.write({...content, ...Object.fromEntries(sections)})
  }
  await write(releases)
  return {...environment, write, charts: charts[0]!}
}

const map = (name: string) => ({apiVersion: 'v1', kind: 'ConfigMap', metadata: {name}})

/** A ConfigMap that helm makes as a hook before an installation and before each upgrade. */
const hookOf = ({metadata, ...rest}: ReturnType<typeof map>) => ({
  ...rest,
  metadata: {...metadata, annotations: {'helm.sh/hook': 'pre-install,pre-upgrade'}},
})

async function uidOf(name: string, namespace: string): Promise<string> {
  const {metadata} = await get<{metadata: {uid: string}}>('configmap', name, '--namespace', namespace)
  return metadata.uid
}

/** A ConfigMap without which a hook that is made before it never ends. */
const waiting = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: {name: 'waits', annotations: {'helm.sh/hook': 'pre-install,pre-upgrade'}},
  spec: {
    template: {
      spec: {
        restartPolicy: 'Never',
        containers: [{name: 'c', image: 'busybox', envFrom: [{configMapRef: {name: 'later'}}]}],
      },
    },
  },
}

describe('before the first change', () => {
  it.each(['plan', 'deploy'])('%s refuses an object that two releases would create', async (verb) => {
    const environment = await ofObjects({first: [], one: [map('same')], two: [map('same')]})

    const {exitCode, stderr} = await environment.kk(verb)

    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('KK_CLAIMED_TWICE')])
    expect(stderr).toContain('ConfigMap/same is created by one and two')
    expect(await environment.helmCalls()).not.toContainEqual(expect.stringMatching(/^install/))
    expect(await revisions(environment.name)).toEqual({})
  })

  it.each([true, false])(
    'a new hook is refused if it has an object of a release without an edge to its own, infer: %s',
    async (infer) => {
      const environment = await ofObjects({one: [map('same')]}, {infer, isApart: true})
      await environment.deploy()
      const uid = await uidOf('same', environment.name)
      await environment.write({one: [map('same')], two: [hookOf(map('same'))]})

      const {exitCode, stderr} = await environment.kk('deploy')

      expect([exitCode, stderr]).toEqual([3, expect.stringContaining('KK_CLAIMED_TWICE')])
      expect(stderr).toMatch(/ConfigMap\/same is created by (?:one and two|two and one), as a hook by two/)
      expect(await revisions(environment.name)).toEqual({one: 1})
      expect(await uidOf('same', environment.name)).toBe(uid)
    },
  )

  it('a hook with an object of another environment is refused', async () => {
    const owner = await ofObjects({one: [map('same')]})
    await owner.deploy()
    const uid = await uidOf('same', owner.name)
    const other = await ofObjects({two: [hookOf(map('same'))]}, {namespace: owner.name})

    const {exitCode, stderr} = await other.kk('deploy')

    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('KK_IN_THE_WAY')])
    expect(stderr).toMatch(/two: ConfigMap\/same, which belongs to the release \S+\/one: as a hook/)
    expect(await uidOf('same', owner.name)).toBe(uid)
  })

  it('deploy refuses a hook that waits for an object that helm creates later, unless kk.given lists the object', async () => {
    const environment = await ofObjects({first: [], late: [waiting, map('later')]})

    const {exitCode, stderr} = await environment.kk('deploy')
    await environment.write({first: [], late: [waiting, map('later')]}, {given: ['ConfigMap/later']})
    const given = await environment.kk('plan')

    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('KK_UNSERVED')])
    expect(stderr).toContain('the hook Job/waits never ends')
    expect(await revisions(environment.name)).toEqual({})
    expect(given.exitCode, given.stderr).toBe(0)
  })

  it('deploy refuses a record that exceeds the size of a Secret, with the largest file', async () => {
    const environment = await ofObjects({first: [], big: []})
    await writeFile(join(environment.charts, 'objects/noise.bin'), randomBytes(1_200_000))

    const {exitCode, stderr} = await environment.kk('deploy')

    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('KK_TOO_LARGE')])
    expect(stderr).toContain('noise.bin (1200 kB)')
    expect(await revisions(environment.name)).toEqual({})
  })

  it('upgrade, rollback and remove refuse a record with an API that is no longer served', async () => {
    const plural = uniqueName('gone')
    const definition = customResource(plural, 'of a test')
    const {group, names} = definition.spec
    const thing = {apiVersion: `${group}/v1`, kind: names.kind, metadata: {name: 'one'}}
    await kubectl(['create', '--filename', '-'], {input: definition})
    const environment = await ofObjects({first: [map('a')], things: [thing]})
    await environment.deploy()
    await environment.write({first: [map('a')], things: [thing, map('more')]})
    await environment.deploy()
    await kubectl(['delete', 'crd', definition.metadata.name])
    await environment.write({first: [map('b')], things: [map('more')]})

    const planned = await environment.kk('plan')
    const deployed = await environment.kk('deploy')
    const rolled = await environment.kk('rollback', '--yes')
    const removed = await environment.kk('remove', 'things', '--yes')
    const destroyed = await environment.kk('destroy', '--yes', '--confirm', environment.name)

    for (const {exitCode, stderr} of [planned, deployed, rolled, removed, destroyed]) {
      expect([exitCode, stderr]).toEqual([3, expect.stringContaining('KK_API_GONE')])
      expect(stderr).toContain(`${names.kind} of ${group}/v1`)
    }
    expect(await revisions(environment.name)).toEqual({first: 1, things: 2})
    const statuses = (await helmRecords(environment.name)).map(({status}) => status)
    expect(statuses.filter((status) => status === 'uninstalling')).toEqual([])
  })
})

it('a release whose record is in another namespace is not installed a second time', async () => {
  const environment = await ofObjects({one: [map('same')]})
  await environment.deploy()
  const store = await makeNamespace()
  const secret = await get<{metadata: object; type: string; data: object}>(
    ...['secret', 'sh.helm.release.v1.one.v1', '--namespace', environment.name],
  )
  const {labels} = secret.metadata as {labels: object}
  const metadata = {name: 'sh.helm.release.v1.one.v1', namespace: store, labels}
  const moved = {apiVersion: 'v1', kind: 'Secret', metadata, type: secret.type, data: secret.data}
  await kubectl(['create', '--filename', '-'], {input: moved})
  await kubectl(['delete', 'secret', metadata.name, '--namespace', environment.name])

  const {exitCode, stderr} = await environment.kk('deploy')

  expect([exitCode, stderr]).toEqual([3, expect.stringContaining('KK_FOREIGN')])
  expect(stderr).toContain(`helm record is in the namespace ${store}`)
  expect(await revisions(environment.name)).toEqual({})
})

describe('an object of two releases', () => {
  /** Both have the ConfigMap `same`, as a race of two helms leaves it. */
  async function shared() {
    const environment = await ofObjects({one: [map('same')], two: [map('other')]})
    await environment.deploy()
    const values = JSON.stringify({objects: [map('same')]})
    const chart = join(environment.charts, 'objects')
    const flags = ['--namespace', environment.name, '--take-ownership', '--force-conflicts', '--values', '-']
    const {exitCode, stderr} = await plainHelm(['upgrade', 'two', chart, ...flags], {input: values})
    expect(exitCode, stderr).toBe(0)
    return environment
  }
  const isThere = async (namespace: string) => {
    const {items} = await get<{items: {metadata: {name: string}}[]}>('configmaps', '--namespace', namespace)
    return items.some(({metadata}) => metadata.name === 'same')
  }

  it('is not deleted by the removal of one release unless the other is confirmed', async () => {
    const environment = await shared()

    const refused = await environment.kk('remove', 'two', '--yes')
    const before = await isThere(environment.name)
    const confirmed = await environment.kk('remove', 'two', '--yes', '--confirm', `${environment.name}/one`)

    expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining('KK_CLAIMED_TWICE')])
    expect(refused.stderr).toContain('ConfigMap/same, which one also has, would be deleted')
    expect(before).toBe(true)
    expect(confirmed.exitCode, confirmed.stderr).toBe(0)
    expect(await revisions(environment.name)).toEqual({one: 1})
  })

  it('is deleted if both releases are removed', async () => {
    const environment = await shared()

    const {exitCode, stderr} = await environment.kk('destroy', '--confirm', environment.name, '--yes')

    expect(exitCode, stderr).toBe(0)
    expect(await isThere(environment.name)).toBe(false)
  })

  it('stays if one release drops it', async () => {
    const environment = await shared()
    await environment.write({one: [map('same')], two: [map('renamed')]})

    const {exitCode, stderr} = await environment.kk('deploy')

    expect(exitCode, stderr).toBe(0)
    expect(stderr).toContain('ConfigMap/same, which one also has, stays')
    expect(await isThere(environment.name)).toBe(true)
  })
})

describe('a deploy with nothing to do', () => {
  it('requests from the API server its version, the identity of the cluster and the records, and no Lease', async () => {
    const environment = await makeEnvironment({
      content: workloads({db: {}, cache: {}, api: {requires: ['db']}}),
    })
    await environment.deploy()
    const user = uniqueName('counted')
    await kubectl(['create', 'clusterrolebinding', user, '--clusterrole=cluster-admin', `--user=${user}`])
    const config = JSON.parse(await kubectl(['config', 'view', '--raw', '--output', 'json']))
    const users = config.users.map(({name, user: own}: {name: string; user: object}) => ({
      name,
      user: {...own, as: user},
    }))
    const kubeconfig = join(environment.directory, 'counted.yaml')
    await writeFile(kubeconfig, JSON.stringify({...config, users}), {mode: 0o600})

    const {exitCode, stderr} = await environment.kk('deploy', '--kubeconfig', kubeconfig)

    expect(exitCode, stderr).toBe(0)
    expect(stderr).toContain('plan: 3 unchanged')
    expect(await requestsOf(user)).toEqual([
      'get /api/v1/namespaces/kube-system',
      'get /version',
      'list /api/v1/secrets',
    ])
  })
})

describe('an existing Ceph cluster', () => {
  const cloud = (sections: {
    readonly cinder: object
    readonly [name: string]: object
  }): EnvironmentContent => ({
    kk: {
      charts: [CHARTS],
      releases: Object.fromEntries(
        ['cinder', 'manila'].filter((name) => name in sections).map((name) => [name, {without: ['ceph']}]),
      ),
    },
    global: {endpoints: {ceph_mon: {host_fqdn_override: {default: '10.0.0.11'}}}},
    ...{mariadb: {}, rabbitmq: {}, memcached: {}, keystone: {}},
    ...sections,
  })

  it('needs its keys before the first change, stated or stored, and no key that no pod uses', async () => {
    const environment = await makeEnvironment()
    const place = ['--namespace', environment.name, '--kubeconfig', inject('run').kubeconfig]
    const keys = ['glance', 'cinder'].map(
      (user) => `ceph_mon.${user}.key: AQB${user}4ZxlAAAAABAAkEY0e7H2IZ7WvA==`,
    )
    await environment.write(
      cloud({
        glance: {storage: {backend: 'ceph'}},
        cinder: {manifests: {deployment_backup: false}},
      }),
    )

    const before = await environment.kk('plan')
    const file = join(environment.directory, 'keys.yaml')
    await writeFile(file, keys.join('\n'), {mode: 0o600})
    const imported = await kk(['secrets', 'import', file, ...place])
    const after = await environment.kk('plan')

    expect([before.exitCode, before.stderr]).toEqual([2, expect.stringContaining('KK_UNSTATED')])
    expect(before.stderr).toMatch(/ceph_mon\.glance\.key: …/)
    expect(before.stderr).toMatch(/ceph_mon\.cinder\.key: …/)
    expect(before.stderr).not.toContain('cinder-backup')
    expect(imported.exitCode, imported.stderr).toBe(0)
    expect(after.exitCode, after.stderr).toBe(0)
  })

  it('needs no keys in a cloud with data in files', async () => {
    const environment = await makeEnvironment()
    const manifests = {deployment_volume: false, deployment_backup: false}
    await environment.write(
      cloud({
        glance: {},
        cinder: {storage: {backend: 'file'}, manifests},
        manila: {manifests: {deployment_share: false}},
      }),
    )

    const {exitCode, stderr} = await environment.kk('plan')

    expect(exitCode, stderr).toBe(0)
  })
})

describe('an existing database server', () => {
  it('needs the password of its administrator before the first change, stated or stored', async () => {
    const environment = await makeEnvironment()
    const place = ['--namespace', environment.name, '--kubeconfig', inject('run').kubeconfig]
    await environment.write({
      kk: {charts: [CHARTS]},
      global: {endpoints: {oslo_db: {host_fqdn_override: {default: 'db.example.org'}}}},
      ...{rabbitmq: {}, memcached: {}, keystone: {}},
    })

    const before = await environment.kk('plan')
    const file = join(environment.directory, 'passwords.yaml')
    await writeFile(file, 'oslo_db.admin.password: mighty-9-word\n', {mode: 0o600})
    const imported = await kk(['secrets', 'import', file, ...place])
    const after = await environment.kk('plan')

    expect([before.exitCode, before.stderr]).toEqual([2, expect.stringContaining('KK_UNSTATED')])
    expect(before.stderr).toContain('no release runs mariadb, and oslo_db.admin.password')
    expect(imported.exitCode, imported.stderr).toBe(0)
    expect(after.exitCode, after.stderr).toBe(0)
  })
})

/** The requests of an impersonated user: verb and path, without what differs from run to run. */
async function requestsOf(user: string): Promise<readonly string[]> {
  const lines = (await readFile(inject('run').auditLog, 'utf8')).split('\n')
  const events = lines
    .filter((line) => line.includes(user) && line.endsWith('}'))
    .map((line) => JSON.parse(line))
  return events
    .filter(({impersonatedUser}) => impersonatedUser?.username === user)
    .map(({verb, requestURI}) => `${verb} ${requestURI.split('?')[0]}`)
    .sort()
}
