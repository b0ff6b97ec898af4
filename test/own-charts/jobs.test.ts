import {execa} from 'execa'
import {describe, expect, it} from 'vitest'
import {SERVICES, useCharts} from './support/charts.ts'
import {
  containers,
  find,
  type KubernetesObject,
  ofKind,
  pods,
  servers,
  variable,
  workloads,
} from './support/objects.ts'

const charts = await useCharts()
const names = (objects: readonly KubernetesObject[]) =>
  ofKind(objects, 'Job').map(({metadata}) => metadata.name)

describe.each(SERVICES)('the jobs of %s', async (chart) => {
  const objects = await charts.render(chart)

  it('stay after completion, and have a hash of their inputs in their names', () => {
    for (const {metadata, spec} of ofKind(objects, 'Job')) {
      expect(metadata.name).toMatch(/-[0-9a-f]{8}$/)
      expect(metadata.annotations ?? {}).not.toHaveProperty('helm.sh/hook')
      expect(spec?.ttlSecondsAfterFinished).toBeUndefined()
    }
  })

  it('are awaited by their exact names', () => {
    const waited = pods(objects).flatMap((pod) => waits(pod.spec.initContainers ?? []))

    for (const name of waited) expect(names(objects)).toContain(name)
  })
})

describe('a password that an upgrade can rotate', () => {
  const auth = (endpoint: string, password: string) => ({
    endpoints: {[endpoint]: {auth: {admin: {password}}}},
  })

  it('of the bus is in the definitions that each start loads, and restarts the members', async () => {
    const render = (password: string) => charts.render('rabbitmq', {values: auth('oslo_messaging', password)})
    const [one, other] = [await render('one'), await render('other')]
    const definitions = (objects: readonly KubernetesObject[]) => JSON.stringify(ofKind(objects, 'Secret'))
    const template = (objects: readonly KubernetesObject[]) =>
      ofKind(objects, 'StatefulSet')[0]!.spec!.template

    expect(definitions(one)).not.toBe(definitions(other))
    expect(template(one)).not.toEqual(template(other))
  })

  it('of a service on the bus creates another job, which sets the password before pods use it', async () => {
    const render = (password: string) =>
      charts.render('heat', {values: {endpoints: {oslo_messaging: {auth: {heat: {password}}}}}})
    const [one, other] = [await render('one'), await render('other')]

    const job = find(other, 'Job', 'heat-bus-create-')
    expect(job.metadata.name).not.toBe(find(one, 'Job', 'heat-bus-create-').metadata.name)
    for (const {spec} of servers(other)) {
      expect(waits(spec!.template!.spec.initContainers ?? [])).toContain(job.metadata.name)
    }
  })

  it("of keystone's administrator creates another bootstrap job, which sets the password", async () => {
    const render = async (password: string) =>
      names(await charts.render('keystone', {values: auth('identity', password)})).filter((name) =>
        name.includes('bootstrap'),
      )

    expect(await render('one')).not.toEqual(await render('other'))
  })
})

describe('the name of a job', async () => {
  const name = async (job: string, values: object, release = 'keystone') =>
    find(await charts.render('keystone', {values, release}), 'Job', `${release}-${job}-`).metadata.name
  const plain = await name('db-migrate', {})

  it.each([
    ['its image', {images: {tag: '2026.1-debian-trixie'}}],
    ['its command', {jobs: {'db-migrate': {command: 'keystone-manage db_sync'}}}],
    ['a section that it reads', {conf: {keystone: {database: {max_retries: 3}}}}],
    ['the password that it logs in with', {endpoints: {oslo_db: {auth: {keystone: {password: 'other'}}}}}],
    ['the job before it', {jobs: {'db-expand': {command: 'true'}}}],
  ])('changes with %s', async (_, values) => {
    expect(await name('db-migrate', values)).not.toBe(plain)
  })

  it.each([
    ['options that it does not read', {conf: {keystone: {DEFAULT: {debug: true}, cache: {enabled: false}}}}],
    ['replicas', {pod: {replicas: 3}}],
    ['the image of the server', {images: {tags: {api: 'registry/keystone:1'}}}],
    ["another job's script", {jobs: {'fernet-setup': {args: ['setup', 'other']}}}],
  ])('does not change with %s', async (_, values) => {
    expect(await name('db-migrate', values)).toBe(plain)
  })
})

describe('a migration', async () => {
  const objects = await charts.render('keystone')
  const {data = {}} = find(objects, 'ConfigMap', 'keystone-bin')
  const migrate = (script: string) =>
    execa('bash', ['-c', data['migrate.sh']!, 'migrate.sh', 'bash', '-c', script], {reject: false})

  it('is run by the script that detects a later schema', () => {
    const {data: files = {}} = find(objects, 'ConfigMap', 'keystone-etc')

    expect(JSON.parse(files['db-expand.json']!).command).toBe(
      'bash /scripts/migrate.sh keystone-manage db_sync --expand',
    )
    expect(JSON.parse(files['bootstrap.json']!).command).toBe('keystone-manage bootstrap')
  })

  it.each([
    ['it succeeds', 'echo migrated', 0, 'migrated'],
    ['it fails', 'echo lost connection >&2; exit 3', 3, 'lost connection'],
    [
      'the schema is of a later release',
      `echo "alembic.util.exc.CommandError: Can't locate revision identified by '47147121'" >&2; exit 1`,
      0,
      'the schema of the database is of a later release: nothing to migrate',
    ],
    [
      "Keystone's schema was expanded by a later release",
      'echo "DBMigrationError: You are attempting to upgrade contract ahead of expand." >&2; exit 1',
      0,
      'the schema of the database is of a later release: nothing to migrate',
    ],
  ])('exits as expected if %s', async (_, script, code, says) => {
    const {exitCode, stdout} = await migrate(script)

    expect(exitCode).toBe(code)
    expect(stdout).toContain(says)
  })
})

/** What a script of a chart says and how it ends, where programs are these functions of bash. */
async function runScript(chart: string, name: string, programs: string) {
  const {data = {}} = find(await charts.render(chart), 'ConfigMap', `${chart}-bin`)
  return execa('bash', ['-c', `${programs}\n${data[name]}`], {reject: false})
}

describe("nova's check of an upgrade", () => {
  it('precedes every migration, and has few retries', async () => {
    const objects = await charts.render('nova')

    const sync = find(objects, 'Job', 'nova-api-db-sync-')
    const check = find(objects, 'Job', 'nova-upgrade-check-')
    expect(waits(sync.spec!.template!.spec.initContainers ?? [])).toEqual([check.metadata.name])
    expect(check.spec).toMatchObject({backoffLimit: 2})
    expect(sync.spec).toMatchObject({backoffLimit: 10})
  })

  it.each([
    ['there is no schema yet', 'None', '', 2, 0],
    ['there are no cells yet', 'd67eeaabee36', 'cell0', 2, 0],
    ['the upgrade is possible', 'd67eeaabee36', 'cell0 cell1', 0, 0],
    ['the new release warns', 'd67eeaabee36', 'cell0 cell1', 1, 0],
    ['the upgrade is not possible', 'd67eeaabee36', 'cell0 cell1', 2, 1],
    ['the check itself fails', 'd67eeaabee36', 'cell0 cell1', 255, 1],
  ])('exits as expected if %s', async (_, version, cells, status, code) => {
    const manage = `nova-manage() { if [ "$1" = api_db ]; then echo INFO; echo ${version}; else echo "${cells}"; fi; }`

    const {exitCode} = await runScript(
      'nova',
      'nova-upgrade-check.sh',
      `${manage}\nnova-status() { return ${status}; }`,
    )

    expect(exitCode).toBe(code)
  })

  it('fails if the database does not respond', async () => {
    const programs = 'nova-manage() { return 1; }\nnova-status() { return 0; }'

    expect((await runScript('nova', 'nova-upgrade-check.sh', programs)).exitCode).toBe(1)
  })
})

describe("neutron's schema", () => {
  it.each([
    ['is expanded where there is one', '5c85685d616d (head)\nad80a9f07c5c\n  OK', 'upgrade --expand'],
    ['is made whole in a new database', '  Running current for neutron ...\n  OK', 'upgrade heads'],
  ])('%s', async (_, current, command) => {
    const programs = `neutron-db-manage() {
      shift 2
      if [ "$1" = current ]; then printf '${current.replaceAll('\n', '\\n')}\\n'; else echo "ran $*"; fi
    }`

    const {stdout} = await runScript('neutron', 'neutron-expand.sh', programs)

    expect(stdout).toBe(`ran ${command}`)
  })
})

describe('an init container for dependencies', () => {
  it('waits for the services and jobs that its component requires', async () => {
    const objects = await charts.render('glance')

    const [gate] = workloads(objects)[0]?.spec?.template?.spec.initContainers ?? []
    expect(variable(gate!, 'DEPENDENCY_SERVICE')).toBe(
      'openstack:keystone-api,openstack:memcached-server,openstack:mariadb-server,openstack:rabbitmq-server',
    )
    expect(waits([gate!]).map((job) => job.replace(/-[0-9a-f]{8}$/, ''))).toEqual([
      'glance-bus-create',
      'glance-db-create',
      'glance-db-sync',
      'glance-metadefs-load',
      'glance-register',
    ])
  })

  it('may read dependencies in their own namespaces only', async () => {
    const objects = await charts.render('glance', {values: {endpoints: {oslo_db: {namespace: 'infra'}}}})

    const roles = ofKind(objects, 'Role').map(({metadata, rules}) => [
      `${metadata.namespace}/${metadata.name}`,
      rules?.flatMap(({resources}) => resources).sort(),
      [...new Set(rules?.flatMap(({verbs}) => verbs))].sort(),
    ])
    const looks = ['endpoints', 'endpointslices', 'services']
    expect(roles).toEqual([
      ['openstack/glance-dependencies', [...looks, 'jobs'].sort(), ['get', 'list']],
      ['infra/openstack-glance-dependencies', looks, ['get', 'list']],
    ])
  })

  it('ignores a host outside the cluster', async () => {
    const endpoints = {oslo_db: {host_fqdn_override: {default: 'db.example.org'}}}
    const [glance] = workloads(await charts.render('glance', {values: {endpoints}}))

    const [gate] = glance?.spec?.template?.spec.initContainers ?? []
    expect(variable(gate!, 'DEPENDENCY_SERVICE')).not.toContain('mariadb')
  })

  it('is omitted if dependencies are disabled', async () => {
    const objects = await charts.render('glance', {values: {dependencies: {enabled: false}}})

    const gates = pods(objects)
      .flatMap(containers)
      .filter(({name}) => name === 'dependencies')
    expect(gates).toEqual([])
    expect(ofKind(objects, 'Role')).toEqual([])
  })

  it('waits for additional services if configured, and not for a disabled job', async () => {
    const values = {
      dependencies: {static: {api: {services: [{service: 'dashboard', endpoint: 'internal'}]}}},
      manifests: {job_metadefs_load: false},
    }

    const [glance] = workloads(await charts.render('glance', {values}))

    const [gate] = glance?.spec?.template?.spec.initContainers ?? []
    expect(variable(gate!, 'DEPENDENCY_SERVICE')).toContain('openstack:horizon-server')
    expect(variable(gate!, 'DEPENDENCY_JOBS')).not.toContain('metadefs')
  })

  it.each([
    ['a job that is not there', {jobs: {'db-sync': {after: ['nothing']}}}, 'db-sync waits for job "nothing"'],
    ['itself, in a circle', {jobs: {'db-create': {after: ['db-sync']}}}, 'jobs wait for each other'],
  ])('is refused for %s', async (_, values, message) => {
    expect(await charts.refusal('glance', {values})).toContain(message)
  })
})

describe('a job that changes a schema', () => {
  it.each([
    ['keystone', ['keystone-db-contract', 'keystone-db-expand', 'keystone-db-migrate']],
    ['glance', ['glance-db-sync']],
  ])('is annotated in %s', async (chart, expected) => {
    const marked = ofKind(await charts.render(chart), 'Job').filter(
      ({metadata}) => metadata.annotations?.['kk.openstack.org/migration'] === 'true',
    )

    expect(names(marked).map((name) => name.replace(/-[0-9a-f]{8}$/, ''))).toEqual(expected)
  })

  it('and contracts the schema waits for the new pods, which do not wait for the job', async () => {
    const objects = await charts.render('keystone')

    const contract = find(objects, 'Job', 'keystone-db-contract').spec?.template?.spec
    const [api] = workloads(objects)
    expect(contract?.initContainers?.map(({name}) => name)).toEqual(['dependencies', 'rollout'])
    expect(contract?.initContainers?.[1]?.command).toEqual([
      'python3',
      '/scripts/rollout.py',
      'deployments/keystone-api',
    ])
    expect(waits(api?.spec?.template?.spec.initContainers ?? []).join()).not.toContain('contract')
  })
})

describe('the accounts of keystone', () => {
  it('that fill a Secret may write only that Secret', async () => {
    const objects = await charts.render('keystone')

    expect(find(objects, 'Role', 'keystone-fernet-setup').rules).toEqual([
      {
        apiGroups: [''],
        resources: ['secrets'],
        resourceNames: ['keystone-fernet-keys'],
        verbs: ['get', 'patch'],
      },
    ])
    expect(find(objects, 'Job', 'keystone-fernet-setup').spec?.template?.spec.serviceAccountName).toBe(
      'keystone-fernet-setup',
    )
    expect(find(objects, 'Secret', 'keystone-fernet-keys')).not.toHaveProperty('data')
  })
})

function waits(init: readonly Parameters<typeof variable>[0][]): string[] {
  return init.flatMap((container) => variable(container, 'DEPENDENCY_JOBS')?.split(',') ?? [])
}
