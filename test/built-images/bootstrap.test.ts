import {describe, expect, it} from 'vitest'
import {CONFIG, type Container, containerOf} from './support/container.ts'
import {imageOf} from './support/images.ts'

const BOOTSTRAP = {KOLLA_BOOTSTRAP: ''}

/** Starts with one file of the service, as the contract's bootstrap does it. */
async function bootstrap(
  container: Container,
  {path, text, owner, env = {}}: {path: string; text: string; owner: string; env?: Record<string, string>},
): Promise<string> {
  const config = {
    command: 'false',
    config_files: [{source: `${CONFIG}/file`, dest: path, owner, perm: '0600'}],
  }
  const {exitCode, says} = await container.start(
    {'config.json': config, file: text},
    {env: {...BOOTSTRAP, ...env}},
  )
  expect(exitCode, says).toBe(0)
  return says
}

it('mariadb creates its database, and its root user has the password', async () => {
  const container = await containerOf(imageOf('mariadb-server'))
  const text = '[mysqld]\ndatadir = /var/lib/mysql/\n'

  await bootstrap(container, {
    path: '/etc/mysql/my.cnf',
    text,
    owner: 'mysql',
    env: {DB_ROOT_PASSWORD: 's3cret', DB_MAX_TIMEOUT: '120'},
  })

  const {exitCode, says} = await container.run(
    `mariadbd --skip-networking --pid-file=/tmp/pid &
    until mariadb-admin --user=root ping >/dev/null 2>&1; do kill -0 $! || exit 1; sleep 0.2; done
    mariadb --user=root --execute="SELECT CONCAT('host ', Host) FROM mysql.user WHERE User = 'root'"
    mariadb-admin --user=root shutdown`,
    {env: {MYSQL_PWD: 's3cret'}},
  )
  expect(exitCode, says).toBe(0)
  expect(says).toContain('host %')
})

it('rabbitmq writes the cookie repeatedly, readable only by its user', async () => {
  const container = await containerOf(imageOf('rabbitmq'))

  for (const cookie of ['first', 'second'])
    expect(
      await container.start(
        {'config.json': {command: 'false'}},
        {env: {...BOOTSTRAP, RABBITMQ_CLUSTER_COOKIE: cookie}},
      ),
    ).toMatchObject({exitCode: 0})

  const {says} = await container.run(
    'cd /var/lib/rabbitmq && cat .erlang.cookie && stat -c "%U %a" .erlang.cookie',
  )
  expect(says.trim().split('\n')).toEqual(['second', 'rabbitmq 400'])
})

/** The tables of a SQLite database, one per line with their columns. */
const TABLES = `import sqlite3, sys
database = sqlite3.connect(sys.argv[1])
for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"):
    print(name, *sorted(row[1] for row in database.execute("PRAGMA table_info('%s')" % name)))`

interface Service {
  readonly image: string
  readonly user: string
  readonly path: string
  readonly section?: string
}

async function schemaOf({
  image,
  user,
  path,
  section = 'database',
}: Service): Promise<ReadonlyMap<string, string>> {
  const container = await containerOf(imageOf(image))
  const file = `/var/lib/${user}/test.sqlite`
  await bootstrap(container, {path, text: `[${section}]\nconnection = sqlite:///${file}\n`, owner: user})
  const {exitCode, says} = await container.run(`python3 -c '${TABLES.replaceAll("'", `'"'"'`)}' ${file}`, {
    user: 'root',
  })
  expect(exitCode, says).toBe(0)
  return new Map(
    says
      .trim()
      .split('\n')
      .map((line) => {
        const [table = '', ...columns] = line.split(' ')
        return [table, columns.join(' ')] as const
      }),
  )
}

const KEYSTONE = {user: 'keystone', path: '/etc/keystone/keystone.conf'}

describe('services create the schema of their database', () => {
  it.each<[Service, string]>([
    [{image: 'keystone', ...KEYSTONE}, 'project'],
    [{image: 'glance-api', user: 'glance', path: '/etc/glance/glance-api.conf'}, 'images'],
    [
      {
        image: 'placement-api',
        user: 'placement',
        path: '/etc/placement/placement.conf',
        section: 'placement_database',
      },
      'resource_providers',
    ],
  ])('$image, in each release', async (service, table) => {
    const schema = await schemaOf(service)
    const next = await schemaOf({...service, image: `${service.image}-2026.1`})

    expect([...schema.keys()]).toContain(table)
    expect([...next.keys()]).toContain(table)
  })
})

it.each(['designate-api', 'designate-api-2026.1'])(
  '%s creates its tables regardless of the characters in the database password',
  async (name) => {
    const container = await containerOf(imageOf(name))

    const {exitCode, says} = await container.run(
      `printf '[storage:sqlalchemy]\\nconnection = sqlite:////tmp/a%%25b.sqlite\\n' >/tmp/designate.conf
      designate-manage --config-file /tmp/designate.conf database sync`,
    )

    expect(exitCode, says).toBe(0)
  },
)
