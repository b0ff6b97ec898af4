import {once} from 'node:events'
import {join} from 'node:path'
import {execa} from 'execa'
import {beforeAll, describe, expect, inject, it} from 'vitest'
import {kubectl, nodeHome} from '../../aio/support/node.ts'
import {aioEnvironment} from '../../aio/support/run-aio.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {answers, inClient, openstack, token} from '../support/client.ts'
import {cloudUp, NAMESPACE, onCloud, serving, succeed} from '../support/cloud.ts'
import {CLOUD, changedEnvironment} from '../support/environment.ts'
import {inServer, query} from '../support/in-server.ts'
import {phase} from '../support/phase.ts'

const SHARED = ['mariadb', 'rabbitmq', 'memcached', 'keystone'] as const

// That the others serve after all that is what Tempest shows, whose smoke tests come last in a run (`npm run
// test:aio`).

/** The cloud without all that heat needs not: the other releases stay as they are. */
let file: string

beforeAll(async () => {
  await cloudUp()
  file = await changedEnvironment({only: [...SHARED, 'heat']})
  await succeed(['deploy', file, '--yes'])
})

describe('a release that others require', () => {
  it('keeps running although it is no longer in the file', async () => {
    await succeed(['deploy', await changedEnvironment({only: SHARED}), '--yes'])

    await inClient('openstack stack list')
    expect((await token()).id).toMatch(/^gAAAA/)
  })

  it('is not removed, and its consumers are reported', async () => {
    const {exitCode, stderr} = await onCloud(['remove', CLOUD, 'mariadb', '--yes', '--confirm', 'mariadb'])

    expect(exitCode, stderr).toBe(3)
    for (const name of ['keystone', 'glance', 'placement', 'heat']) expect(stderr).toContain(name)
    expect((await serving('mariadb')).map(({metadata}) => metadata.name)).toContain('mariadb-server-0')
  })

  it('is not removed with --purge either: nova stays for Tempest', async () => {
    const {exitCode, stderr} = await onCloud([
      ...['remove', CLOUD, 'nova', '--yes', '--purge', '--confirm', 'nova'],
    ])

    expect(exitCode, stderr).toBe(3)
    expect(stderr).toContain('KK_HAS_DEPENDENTS')
    expect(stderr).toMatch(/openstack\/tempest .* requires nova/)
    expect(await serving('nova')).not.toEqual([])
  })
})

/** What there is in Keystone, MariaDB and RabbitMQ of heat, and of all others. */
async function elsewhere() {
  const names = async (kind: string) =>
    (await openstack<{readonly Name: string}[]>(`${kind} list`)).map(({Name}) => Name)
  const [services, users, domains] = [await names('service'), await names('user'), await names('domain')]
  const database = await query(NAMESPACE, 'mariadb-server-0', 'SHOW DATABASES; SELECT user FROM mysql.user')
  const bus = await onBus('list_users')
  const all = [...services, ...users, ...domains, ...database, ...bus]
  return {
    ofHeat: all.filter((name) => name.startsWith('heat')).sort(),
    // Tempest makes users while it runs.
    others: all.filter((name) => !/^(heat|tempest)/.test(name)).sort(),
  }
}

/** The first words of what RabbitMQ lists. */
async function onBus(...command: readonly string[]): Promise<readonly string[]> {
  const text = await inServer(
    NAMESPACE,
    'rabbitmq-server-0',
    ...['rabbitmqctl', '--quiet', '--no-table-headers', ...command],
  )
  return text.split('\n').flatMap((line) => line.split('\t')[0] || [])
}

describe('heat: its removal', () => {
  it('leaves its objects in other services, and the rest of the cloud', async () => {
    const before = await elsewhere()

    const {stderr, exitCode} = await onCloud(['remove', file, 'heat', '--yes'])

    expect(exitCode, stderr).toBe(0)
    expect(stderr).toMatch(/heat +database +heat +mariadb-server\S+ +it is deleted only with --purge/)
    expect(await serving('heat')).toEqual([])
    expect(before.ofHeat).toEqual([
      // A service, a user, a database and its account, a user of the bus.
      ...['heat', 'heat', 'heat', 'heat', 'heat'],
      ...['heat-cfn', 'heat_domain_admin', 'heat_user_domain'],
    ])
    expect(await elsewhere()).toEqual(before)
    expect((await token()).id).toMatch(/^gAAAA/)
  })

  it('deletes these objects with --purge, and nothing of others', async () => {
    await succeed(['deploy', file, '--yes'])
    const before = await elsewhere()
    const queues = await onBus('list_queues', 'name')

    const said = await phase('purged', () =>
      onCloud(['remove', file, 'heat', '--purge', '--confirm', 'heat', '--yes']),
    )

    expect(said.exitCode, said.stderr).toBe(0)
    expect(said.stderr).toContain('deleted database heat')
    expect(said.stderr).toContain('deleted bus user heat')
    expect(await elsewhere()).toEqual({ofHeat: [], others: before.others})
    expect(queues).toContain('engine')
    expect(await onBus('list_queues', 'name')).not.toContain('engine')
    await waitFor(
      async () => !(await kubectl(['get', 'jobs', '--namespace', NAMESPACE])).includes('heat-') && {},
      {
        until: 'the Job has gone with the release',
      },
    )
  })

  it('can be followed by another deploy', async () => {
    await phase('deployed after the purge', () => succeed(['deploy', file, '--yes']))

    expect(await answers('openstack stack list --format value')).toBe('')
  })
})

/** Runs Python in the pod of cinder-backup, on its pool in Ceph: `pool`, `rbd` and `RBD` are there. */
function onBackups(lines: string, input?: 'pipe') {
  const script = [
    'import rados, rbd, sys',
    'RBD = rbd.RBD()',
    'ceph = rados.Rados(conffile="/etc/ceph/ceph.conf", name="client.cinder-backup")',
    'ceph.connect()',
    'pool = ceph.open_ioctx("backups")',
    lines,
    'pool.close()',
  ].join('\n')
  const words = [
    'exec',
    '--namespace',
    NAMESPACE,
    '--stdin',
    'deploy/cinder-backup',
    '--container',
    'backup',
    '--',
  ]
  const env = {...aioEnvironment(inject('aio')), KUBECONFIG: join(nodeHome(), 'kubeconfig')}
  return execa('kubectl', [...words, 'python3', '-c', script], {
    ...{env, extendEnv: false, reject: false, stdin: input ?? 'ignore'},
  })
}

interface CleanupJob {
  readonly status?: {readonly succeeded?: number; readonly failed?: number}
  readonly spec: {
    backoffLimit: number
    readonly template: {
      readonly spec: {
        restartPolicy: string
        readonly containers: readonly {readonly env: {readonly name: string; value: string}[]}[]
      }
    }
  }
}

/** Runs the Job that a purge of Cinder makes, once, for its backups alone. */
async function emptyBackups(name: string): Promise<{readonly succeeded: boolean; readonly log: string}> {
  const inCloud = ['--namespace', NAMESPACE, '--output', 'json']
  const made = ['create', 'job', name, '--from=cronjob/cinder-cleanup', '--dry-run=client', ...inCloud]
  const job = JSON.parse(await kubectl(made)) as CleanupJob
  const {spec} = job.spec.template
  job.spec.backoffLimit = 0
  spec.restartPolicy = 'Never'
  spec.containers[0]!.env.find((each) => each.name === 'CLEANUP')!.value = JSON.stringify([
    {kind: 'data of pool', name: 'backups', user: 'cinder-backup'},
  ])
  await kubectl(['apply', '--filename', '-'], job)
  const {status} = await waitFor(
    async () => {
      const found = JSON.parse(await kubectl(['get', `job/${name}`, ...inCloud])) as CleanupJob
      return found.status?.succeeded || found.status?.failed ? found : undefined
    },
    {until: `the Job ${name} has ended`},
  )
  const log = await kubectl(['logs', `job/${name}`, '--namespace', NAMESPACE])
  await kubectl(['delete', `job/${name}`, '--namespace', NAMESPACE])
  return {succeeded: status!.succeeded === 1, log}
}

it('--purge of Cinder first removes its images in Ceph, with snapshots and clones, except open ones', async () => {
  const filled = await onBackups(
    [
      'for name in ("kept-open", "origin"): RBD.create(pool, name, 1 << 20)',
      'with rbd.Image(pool, "origin") as origin:',
      '    origin.create_snap("s")',
      '    origin.protect_snap("s")',
      'RBD.clone(pool, "origin", "s", pool, "clone")',
    ].join('\n'),
  )
  expect(filled.exitCode, filled.stderr).toBe(0)
  const open = onBackups(
    'with rbd.Image(pool, "kept-open") as image: print(image.list_lockers(), flush=True); sys.stdin.read()',
    'pipe',
  )
  await once(open.stdout!, 'data')

  const first = await emptyBackups('empty-backups-1')
  open.stdin!.end()
  await open
  const second = await emptyBackups('empty-backups-2')
  const left = await onBackups('print(RBD.list(pool))')

  expect(first).toMatchObject({
    succeeded: false,
    log: expect.stringMatching(/kept-open in the pool backups stays/),
  })
  expect(first.log).not.toMatch(/(origin|clone) in the pool/)
  expect(second).toMatchObject({succeeded: true, log: expect.stringContaining('data of pool backups')})
  expect(left.stdout).toBe('[]')
})

describe('kk killed during a deploy', () => {
  it('is resumed by the next deploy', async () => {
    await succeed(['remove', file, 'heat', '--yes'])
    const {kk} = inject('aio')
    const deploy = execa(kk, ['deploy', file, '--yes', '--sandbox-name', 'aio'], {
      env: aioEnvironment(inject('aio')),
      extendEnv: false,
      reject: false,
    })
    await waitFor(
      async () =>
        (await kubectl(['get', 'secrets', '--namespace', NAMESPACE])).includes('sh.helm.release.v1.heat.'),
      {until: 'helm has begun with heat'},
    )
    deploy.kill('SIGKILL')
    await deploy

    await phase('deployed after the kill', () => succeed(['deploy', file, '--yes']))

    expect(await answers('openstack stack list --format value')).toBe('')
  })
})
