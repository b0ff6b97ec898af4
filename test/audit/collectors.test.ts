import {mkdir, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {expect, it} from 'vitest'
import {fakePymysql} from '../support/fake-pymysql.ts'
import {testDirectory} from '../support/test-directory.ts'

const COLLECTORS = join(import.meta.dirname, '../../src/audit/collectors')

/** Writes a collector with its input, and runs it. */
async function collect(collector: string, input: object, {directory = testDirectory(), env = {}} = {}) {
  const program = join(directory, 'collector.py')
  const text = await readFile(join(COLLECTORS, collector), 'utf8')
  const json = JSON.stringify(JSON.stringify(input))
  await writeFile(program, `import json\nINPUT = json.loads(${json})\n${text}`)
  return execa('python3', [program], {env, reject: false})
}

/** Runs the collector of databases with a connection, or with that of a cell too. */
async function connect(url: string, cell?: string) {
  const directory = await fakePymysql()
  const database = {
    name: 'x',
    service: 'x',
    variable: 'URL',
    section: 'database',
    ...(cell && {cells: {variable: 'URL'}}),
  }
  const env = {URL: url, ...(cell && {CELL: cell})}
  return collect('sql.py', {databases: [database]}, {directory, env})
}

it('a connection is read as SQLAlchemy does, with an address of IPv6 and its authority', async () => {
  const {stdout, stderr} = await connect('mysql+pymysql://nova:p#/?%40ss@[::1]:3307/nova?ssl_ca=/ca.crt')

  expect(JSON.parse(stdout)).toMatchObject({
    ...{host: '::1', port: 3307, user: 'nova', password: 'p#/?@ss', database: 'nova'},
    ssl: {ca: '/ca.crt'},
  })
  expect(stderr).toBe('MySQLError: refused')
})

it.each(['mysql://nova:secret@db:secret/nova', 'nova:secret', 'mysql://nova:se:cret@db:99999999/%ff'])(
  'a connection that cannot be used is not quoted: %s',
  async (url) => {
    const {stderr} = await connect(url)

    expect(stderr).not.toMatch(/se:?cret/)
  },
)

it('the connection of a cell takes its parts from the main one, and is not quoted if it cannot be used', async () => {
  const main = 'mysql+pymysql://nova:12/p#@db:3307/nova?ssl_ca=/ca.crt'

  const cell = await connect(main, '{scheme}://{username}:{password}@{hostname}:{port}/{path}_cell1?{query}')
  const unknown = await connect(main, 'mysql://nova:{secret}@db/nova')

  expect(JSON.parse(cell.stdout.split('\n')[1]!)).toMatchObject({
    ...{host: 'db', port: 3307, password: '12/p#', database: 'nova_cell1', ssl: {ca: '/ca.crt'}},
  })
  expect(unknown.stderr).toBe('LookupError: the connection of a cell has unknown fields')
})

it('a service without pools in Ceph has nothing to compare', async () => {
  const configuration = join(testDirectory(), 'cinder.conf')
  await writeFile(configuration, '[lvm]\nvolume_group = cinder\n')

  const {stdout} = await collect('rbd.py', {files: [configuration], pools: ['rbd_pool'], users: ['rbd_user']})

  expect(JSON.parse(stdout)).toBeNull()
})

it("an instance's QEMU is compared with the program of its node, and its version is that of its last start", async () => {
  const directory = testDirectory()
  const installed = join(directory, 'installed')
  await writeFile(installed, '#!/bin/sh\necho "QEMU emulator version 10.0.3 (Debian 1:10.0.3-1)"\n', {
    mode: 0o755,
  })
  const start = (day: number, version: string) =>
    `2026-01-0${day}: starting up libvirt version: 11.3.0, package: 1 (Debian), qemu version: ${version}, kernel: 6\n`
  const log = start(1, '10.0.1Debian 1:10.0.1-1') + start(2, '10.0.2Debian 1:10.0.2-1')
  await writeFile(join(directory, 'instance-1.log'), log)
  const program = (await readFile(join(COLLECTORS, 'qemu.py'), 'utf8'))
    .replace("'/usr/bin/qemu-system-' + os.uname().machine", JSON.stringify(installed))
    .replace('/var/log/libvirt/qemu', directory)
  await writeFile(join(directory, 'qemu.py'), program)
  // A shell that waits for its input, called as libvirt calls QEMU.
  const guest = ['-name', 'guest=instance-1,debug-threads=on', '-uuid', 'u-1']
  const running = execa('sh', ['-c', 'read line', ...guest], {argv0: 'qemu-system-x86_64', stdin: 'pipe'})

  const {stdout} = await execa('python3', [join(directory, 'qemu.py')])
  running.stdin.end('\n')
  await running

  const {version, guests} = JSON.parse(stdout) as {version: string; guests: {uuid: string}[]}
  expect(version).toBe('10.0.3 (Debian 1:10.0.3-1)')
  expect(guests.filter(({uuid}) => uuid === 'u-1')).toEqual([
    {uuid: 'u-1', name: 'instance-1', version: '10.0.2 (Debian 1:10.0.2-1)', isCurrent: false},
  ])
})

it('the feature flags that are meant for production and not enabled are named', async () => {
  const flag = (name: string, state: string, stability: string) => ({name, state, stability})
  const flags = [
    flag('a', 'enabled', 'required'),
    flag('b', 'disabled', 'stable'),
    flag('c', 'disabled', 'experimental'),
  ]
  const directory = testDirectory()
  const printed = `#!/bin/sh\necho '${JSON.stringify(flags)}'\n`
  await writeFile(join(directory, 'rabbitmqctl'), printed, {mode: 0o755})

  const env = {PATH: `${directory}:${process.env.PATH}`}
  const {stdout} = await collect('feature-flags.py', {}, {directory, env})

  expect(JSON.parse(stdout)).toEqual({enabled: 1, disabled: ['b']})
})

const ROWS = JSON.stringify({
  alembic_version: [{version_num: 'a1'}],
  information_schema: [
    {name: 'volumes', row_count: 12, bytes: 4096},
    {name: 'tags', row_count: 7, bytes: 99},
  ],
})
const MIGRATIONS = {
  'a1_first.py':
    "revision = 'a1'\ndown_revision = None\ndef upgrade():\n    op.drop_column('volumes', 'long_gone')\n",
  'b2_second.py': `
revision = 'b2'
down_revision = 'a1'
TABLE = 'volumes'
def upgrade():
    op.add_column(TABLE, sa.Column('new'))
    op.alter_column(TABLE, 'size', nullable=False, existing_type=sa.Integer())
    with op.batch_alter_table('volumes') as batch_op:
        batch_op.drop_column('host')
    op.execute('ALTER TABLE tags CONVERT TO CHARACTER SET utf8mb4')
    op.execute(sa.text('DELETE FROM tags'))
    for table in ('tags', 'volumes'):
        op.execute(sa.text(f'ALTER TABLE {table} DROP COLUMN old'))
    op.drop_column(table_name='volumes', column_name='az')
    op.alter_column(computed(), 'state', type_=sa.String(8))
    op.execute(statement())
def downgrade():
    op.drop_table('snapshots')
`,
  'contract/c3_third.py':
    "revision = 'c3'\ndown_revision: str = 'b2'\ndef upgrade():\n    op.drop_table('backups')\n",
}

it('the migrations that a database has not seen are read for what they do to which tables', async () => {
  const directory = await fakePymysql()
  const versions = join(directory, 'cinder/migrations')
  await mkdir(join(versions, 'contract'), {recursive: true})
  await writeFile(join(directory, 'cinder/__init__.py'), '')
  for (const [file, text] of Object.entries(MIGRATIONS)) await writeFile(join(versions, file), text)
  const database = {
    name: 'cinder',
    service: 'cinder',
    variable: 'URL',
    section: 'database',
    migrations: 'migrations',
  }

  const env = {URL: 'mysql+pymysql://cinder:x@db/cinder', ROWS}
  const {stdout, stderr} = await collect('sql.py', {scan: true, databases: [database]}, {directory, env})

  expect(stderr).toBe('')

  const {schema} = (JSON.parse(stdout) as {cinder: {schema: {pending: string[]; steps: object[]}}}).cinder
  expect(schema.pending).toEqual(['b2', 'c3'])
  const b2 = {revision: 'b2', branch: null}
  expect(schema.steps).toEqual([
    {...b2, does: 'allows no NULL in the column', column: 'size', table: 'volumes', rows: 12, bytes: 4096},
    {...b2, does: 'drops the column', column: 'host', table: 'volumes', rows: 12, bytes: 4096},
    {...b2, does: 'rewrites the table', table: 'tags', rows: 7, bytes: 99},
    {...b2, does: 'drops the column', column: 'old', table: 'tags', rows: 7, bytes: 99},
    {...b2, does: 'drops the column', column: 'old', table: 'volumes', rows: 12, bytes: 4096},
    {...b2, does: 'drops the column', column: 'az', table: 'volumes', rows: 12, bytes: 4096},
    {...b2, does: 'changes the type of the column', column: 'state', table: null, rows: 0, bytes: 0},
    {...b2, does: 'executes SQL that it computes', table: null, rows: 0, bytes: 0},
    {revision: 'c3', branch: 'contract', does: 'drops the table', table: 'backups', rows: 0, bytes: 0},
  ])
})
