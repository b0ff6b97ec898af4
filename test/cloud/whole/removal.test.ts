import {execa} from 'execa'
import {beforeAll, describe, expect, inject, it} from 'vitest'
import {kubectl} from '../../aio/support/node.ts'
import {aioEnvironment} from '../../aio/support/run-aio.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {answers, inClient, openstack, token} from '../support/client.ts'
import {cloudUp, NAMESPACE, onCloud, serving, succeed} from '../support/cloud.ts'
import {CLOUD, changedEnvironment} from '../support/environment.ts'
import {inServer, query} from '../support/in-server.ts'
import {phase} from '../support/phase.ts'

const SHARED = ['mariadb', 'rabbitmq', 'memcached', 'keystone'] as const

/** The cloud without all that heat needs not: the other releases stay as they are. */
let file: string

beforeAll(async () => {
  await cloudUp()
  file = await changedEnvironment({only: [...SHARED, 'heat']})
  await succeed(['deploy', file, '--yes'])
})

describe('what others use', () => {
  it('goes on though it is no longer in the file', async () => {
    await succeed(['deploy', await changedEnvironment({only: SHARED}), '--yes'])

    await inClient('openstack stack list')
    expect((await token()).id).toMatch(/^gAAAA/)
  })

  it('is not removed, and those who use it are named', async () => {
    const {exitCode, stderr} = await onCloud(['remove', CLOUD, 'mariadb', '--yes', '--confirm', 'mariadb'])

    expect(exitCode, stderr).toBe(3)
    for (const name of ['keystone', 'glance', 'placement', 'heat']) expect(stderr).toContain(name)
    expect(await serving('mariadb')).toHaveLength(1)
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

describe('heat', () => {
  it('leaves what it has in other services when it is removed, and the rest of the cloud', async () => {
    const before = await elsewhere()

    const {stderr, exitCode} = await onCloud(['remove', file, 'heat', '--yes'])

    expect(exitCode, stderr).toBe(0)
    expect(stderr).toMatch(/heat +database +heat +mariadb-server\S+ +it goes only with --purge/)
    expect(await serving('heat')).toEqual([])
    expect(before.ofHeat).toEqual([
      // A service, a user, a database and its account, a user of the bus.
      ...['heat', 'heat', 'heat', 'heat', 'heat'],
      ...['heat-cfn', 'heat_domain_admin', 'heat_user_domain'],
    ])
    expect(await elsewhere()).toEqual(before)
    expect((await token()).id).toMatch(/^gAAAA/)
  })

  it('takes it along with --purge, and nothing of others', async () => {
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

  it('can be deployed again after that', async () => {
    await phase('deployed after the purge', () => succeed(['deploy', file, '--yes']))

    expect(await answers('openstack stack list --format value')).toBe('')
  })
})

describe('kk killed in the middle of a deploy', () => {
  it('goes on with the next deploy', async () => {
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

it("after all that, Tempest's smoke tests of identity pass", async () => {
  await succeed([
    'upgrade',
    CLOUD,
    'tempest',
    '--yes',
    '--set',
    'tempest:conf.run.regex=^tempest.api.identity.*smoke',
  ])

  await phase('identity smoke', () => succeed(['test', CLOUD, 'tempest', '--timeout', '30m']))
}, 1_800_000)
