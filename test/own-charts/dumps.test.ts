import {mkdir, readdir, readFile, utimes, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {gzipSync} from 'node:zlib'
import {execa} from 'execa'
import {beforeEach, describe, expect, it} from 'vitest'
import {testDirectory} from '../support/test-directory.ts'
import {SERVICES, useCharts, valuesOf} from './support/charts.ts'
import {find, type KubernetesObject, ofKind, pods, variable} from './support/objects.ts'

const charts = await useCharts()
const DUMPS = {dumps: {claim: 'dumps'}}
const MIGRATING = SERVICES.filter((chart) => {
  const {databases, jobs = {}} = valuesOf(chart)
  return databases && Object.values(jobs).some(({migration}) => migration)
})

const dumping = (objects: readonly KubernetesObject[]) =>
  ofKind(objects, 'Job').filter(({spec}) =>
    spec?.template?.spec.initContainers?.some(({name}) => name === 'dump'),
  )

describe.each(MIGRATING)('the migrations of %s', (chart) => {
  it('start with a dump by one Job if a claim is stated, which another can put back', async () => {
    const objects = await charts.render(chart, {values: DUMPS})

    const [job, ...others] = dumping(objects)
    expect(others).toEqual([])
    expect(job!.metadata.annotations).toMatchObject({
      'kk.openstack.org/dumps': 'dumps',
      'kk.openstack.org/migration': 'true',
    })
    const {spec} = job!.spec!.template!
    const [dump] = spec.initContainers!.filter(({name}) => name === 'dump')
    expect(spec.volumes).toContainEqual({name: 'dumps', persistentVolumeClaim: {claimName: 'dumps'}})
    expect(spec.securityContext).toMatchObject({fsGroup: 42434})
    expect(dump!.securityContext).toMatchObject({
      runAsUser: 42434,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
    })
    expect(variable(dump!, 'DATABASES')!.split(' ')).toEqual(Object.keys(valuesOf(chart).databases!).sort())
    const restore = find(objects, 'CronJob', `${chart}-db-restore`)
    expect(restore.spec).toMatchObject({suspend: true})
    expect(pods([restore])[0]!.spec.volumes).toContainEqual({
      name: 'dumps',
      persistentVolumeClaim: {claimName: 'dumps'},
    })
  })

  it('are as before if no claim is stated', async () => {
    const objects = await charts.render(chart)

    expect(dumping(objects)).toEqual([])
    expect(ofKind(objects, 'CronJob').map(({metadata}) => metadata.name)).not.toContain(`${chart}-db-restore`)
  })
})

describe('the Job that dumps', () => {
  it.each([
    ['keystone', 'keystone-db-expand-'],
    ['nova', 'nova-api-db-sync-'],
    ['neutron', 'neutron-db-expand-'],
    ['cinder', 'cinder-db-sync-'],
  ])('of %s is the first that migrates', async (chart, prefix) => {
    const [job] = dumping(await charts.render(chart, {values: DUMPS}))

    expect(job!.metadata.name.startsWith(prefix)).toBe(true)
  })

  it('names the databases of nova, and the accounts that a restore locks', async () => {
    const [job] = dumping(await charts.render('nova', {values: DUMPS}))

    const [dump] = job!.spec!.template!.spec.initContainers!.filter(({name}) => name === 'dump')
    expect(variable(dump!, 'DATABASES')).toBe('nova nova_api nova_cell0')
    expect(variable(dump!, 'ACCOUNTS')).toBe('nova nova_api')
  })

  it('runs the image of MariaDB in the next release of the service, too', async () => {
    const values = {...DUMPS, images: {tag: '2026.1-debian-trixie'}}
    const [job] = dumping(await charts.render('keystone', {values}))

    const {initContainers = [], containers} = job!.spec!.template!.spec
    expect(initContainers.find(({name}) => name === 'dump')!.image).toBe(
      'localhost:5010/kk/mariadb-server:2025.1-debian-trixie',
    )
    expect(containers[0]!.image).toBe('localhost:5010/kk/keystone:2026.1-debian-trixie')
  })

  it('verifies the server with TLS inside, and has the authority', async () => {
    const tls = {internal: true, files: {'ca.crt': 'a', 'tls.crt': 'b', 'tls.key': 'c'}}
    const objects = await charts.render('keystone', {values: {...DUMPS, tls}})

    const {data = {}} = find(objects, 'ConfigMap', 'keystone-bin')
    const [dump] = dumping(objects)[0]!.spec!.template!.spec.initContainers!.filter(
      ({name}) => name === 'dump',
    )
    expect(data['dump.sh']).toContain('--ssl-ca=/etc/tls/ca.crt --ssl-verify-server-cert')
    expect(dump!.volumeMounts).toContainEqual({name: 'tls', mountPath: '/etc/tls', readOnly: true})
  })
})

describe('the claim for dumps', () => {
  it('is made by the chart of MariaDB alone, and only if its size is stated', async () => {
    const values = {dumps: {claim: 'dumps', size: '20Gi'}, storage: {class: 'general'}}

    const claim = find(await charts.render('mariadb', {values}), 'PersistentVolumeClaim', 'dumps')
    expect(claim.metadata.annotations).toEqual({'helm.sh/resource-policy': 'keep'})
    expect(claim.spec).toEqual({
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'general',
      resources: {requests: {storage: '20Gi'}},
    })
    expect(ofKind(await charts.render('keystone', {values}), 'PersistentVolumeClaim')).toEqual([])
    expect(ofKind(await charts.render('mariadb', {values: DUMPS}), 'PersistentVolumeClaim')).toEqual([])
  })

  it('is stated for all releases in global', async () => {
    const global = {
      ...DUMPS,
      endpoints: {oslo_db: {auth: {admin: {password: 'x'}, placement: {password: 'y'}}}},
    }
    const refusal = await charts.refusal('placement', {global: {...global, dumps: {claims: 'dumps'}}})

    expect(refusal).toMatch(/claims/)
  })
})

describe('the script of the dumps', async () => {
  const {data = {}} = find(await charts.render('keystone', {values: DUMPS}), 'ConfigMap', 'keystone-bin')
  let place: string
  beforeEach(async () => {
    place = join(testDirectory(), 'claim')
    await mkdir(place)
  })

  /** What stands for MariaDB's programs, by default a database with tables that can be dumped. */
  const server = {tables: '49', dump: 'echo "INSERT"; echo "-- Dump completed on today"', load: 'true'}
  const run = (action: string, env: Record<string, string> = {}, {tables, dump, load} = server) => {
    const programs = `
      mariadb() { case "$*" in
        *information_schema.tables*) echo ${tables} ;;
        *--execute=*) echo "\${@: -1}" >>'${place}/queries' ;;
        *) cat >'${place}/loaded'; ${load} ;;
      esac; }
      mariadb-dump() { echo "$*" >'${place}/arguments'; ${dump}; }`
    const script = data['dump.sh']!.replaceAll('/dumps/', `${place}/`)
    return execa('bash', ['-c', `${programs}\n${script}`, 'dump.sh', action], {
      reject: false,
      env: {
        ...{RELEASE: 'keystone', DATABASES: 'keystone', ACCOUNTS: 'keystone', KEEP: '3', JOB: 'expand-1'},
        ...{JOB_UID: 'u1', DB_HOST: 'db', DB_PORT: '3306', DB_ADMIN_USER: 'root', MYSQL_PWD: 'secret-word'},
        ...env,
      },
    })
  }
  const files = async () => (await readdir(join(place, 'keystone'))).sort()
  const dumpOf = (text: string) => gzipSync(`${text}\n-- Dump completed on today\n`)

  it('takes one snapshot of the databases, with no password in the arguments', async () => {
    const {exitCode, stdout, stderr} = await run('save', {DATABASES: 'nova nova_api'})

    expect(exitCode, stderr).toBe(0)
    expect(stdout).toContain(`dumped nova nova_api to ${place}/keystone/expand-1.sql.gz`)
    const {stdout: given} = await execa('cat', [join(place, 'arguments')])
    expect(given).toContain('--single-transaction --quick --add-drop-database --databases nova nova_api')
    expect(given).not.toContain('secret-word')
  })

  it('dumps nothing before the first tables', async () => {
    const {exitCode, stdout} = await run('save', {}, {...server, tables: '0'})

    expect(exitCode).toBe(0)
    expect(stdout).toBe('no dump: keystone: no tables yet')
  })

  it.each([
    ['fails', 'echo half; return 2'],
    ['ends early', 'echo half'],
  ])('does not let the migration start if the dump %s, and leaves nothing behind', async (_, dump) => {
    const {exitCode, stderr} = await run('save', {}, {...server, dump})

    expect(exitCode).toBe(1)
    expect(stderr).toContain('no migration starts: the dump of keystone failed')
    expect(await files()).toEqual([])
  })

  it('keeps the dump of a Job that is retried, whose migration may have begun', async () => {
    await run('save')

    const {exitCode, stdout} = await run('save', {}, {...server, dump: 'return 1'})

    expect(exitCode).toBe(0)
    expect(stdout).toContain('was taken by this Job before')
  })

  it('keeps the last three dumps of a release, among them that of an earlier Job of the same name', async () => {
    const directory = join(place, 'keystone')
    await mkdir(directory)
    for (const [name, year] of [
      ['one', 2021],
      ['two', 2022],
      ['expand-1', 2023],
    ] as const) {
      const path = join(directory, `${name}.sql.gz`)
      if (name === 'expand-1') await run('save', {JOB_UID: 'u0'})
      else await writeFile(path, dumpOf('-- Job u0'))
      await utimes(path, new Date(`${year}-01-01T00:00:00Z`), new Date(`${year}-01-01T00:00:00Z`))
    }

    await run('save')

    expect(await files()).toEqual(['expand-1.20230101T000000Z.sql.gz', 'expand-1.sql.gz', 'two.sql.gz'])
  })

  it('keeps the dump of a failed Job that was created again, whose migration has changed the schema', async () => {
    await run('save')
    const dump = join(place, 'keystone/expand-1.sql.gz')
    const before = await readFile(dump)

    const half = await run(
      'save',
      {JOB_UID: 'u2'},
      {...server, dump: 'echo "half"; echo "-- Dump completed"'},
    )

    expect(half.stdout).toContain('expand-1.sql.gz remains: the schema has changed since it was taken')
    expect(half.exitCode, half.stderr).toBe(0)
    expect(await files()).toEqual(['expand-1.sql.gz'])
    expect(await readFile(dump)).toEqual(before)
  })

  it('restores a dump while the accounts of the service are locked', async () => {
    await run('save')

    const {exitCode, stdout, stderr} = await run('restore', {DUMP: 'expand-1'})

    expect(exitCode, stderr).toBe(0)
    expect(stdout).toContain('restored keystone from')
    const {stdout: queries} = await execa('cat', [join(place, 'queries')])
    expect(queries.split('\n')).toEqual([
      "--execute=ALTER USER 'keystone'@'%' ACCOUNT LOCK; KILL USER 'keystone'",
      "--execute=ALTER USER 'keystone'@'%' ACCOUNT UNLOCK",
    ])
    expect((await execa('cat', [join(place, 'loaded')])).stdout).toContain('INSERT')
  })

  it('leaves the accounts locked if only a part was restored, until a restore succeeds', async () => {
    await run('save')
    const full = {...server, load: 'return 1'}

    const failed = await run('restore', {DUMP: 'expand-1'}, full)

    expect(failed.exitCode).toBe(1)
    expect(failed.stderr).toContain('keystone is restored only in part: the accounts keystone stay locked')
    const queries = () => readFile(join(place, 'queries'), 'utf8')
    expect(await queries()).not.toContain('UNLOCK')
    await run('restore', {DUMP: 'expand-1'})
    expect(await queries()).toContain('ACCOUNT UNLOCK')
  })

  it('restores no half dump, and names those that there are', async () => {
    await mkdir(join(place, 'keystone'))
    await writeFile(join(place, 'keystone/half.sql.gz'), gzipSync('INSERT\n'))

    const half = await run('restore', {DUMP: 'half'})
    const none = await run('restore', {DUMP: 'none'})

    expect(half.stderr).toContain('half.sql.gz is not a complete dump')
    expect(none.stderr).toContain('none.sql.gz; there are: half.sql.gz')
    expect([half.exitCode, none.exitCode]).toEqual([1, 1])
    expect(await readdir(place)).toEqual(['keystone'])
  })
})
