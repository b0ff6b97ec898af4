type Named = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** What the schema of a chart needs from its values. */
export interface ServiceValues {
  readonly user?: {readonly name?: string; readonly id?: number}
  readonly components?: Named
  readonly serves?: Named
  readonly classes?: Named
  readonly prometheus_operator?: object
  readonly jobs?: Named
  readonly cronjobs?: Named
  readonly tests?: Named
  readonly service_status?: Readonly<Record<string, unknown>>
  readonly files?: Readonly<
    Record<string, {readonly uses?: Named; readonly format?: string; readonly configmap?: string}>
  >
  readonly generated?: Named
  readonly databases?: Named
  readonly registration?: Named
  readonly manifests?: Readonly<Record<string, boolean>>
}

/**
 * Every spelling under which a user may name a unit: as it is, as in openstack-helm, and after the service.
 */
export interface UnitNames {
  readonly components: readonly string[]
  readonly jobs: readonly string[]
  readonly all: readonly string[]
}

export function unitNames(chart: string, values: ServiceValues): UnitNames {
  const spellings = (names: readonly string[]) => [
    ...new Set([...names.flatMap((name) => [name, plain(name), plain(`${chart}_${name}`)]), chart]),
  ]
  const components = componentNames(values)
  const jobs = [...jobNames(values), ...cronjobNames(values)]
  const tests = Object.keys(values.tests ?? {})
  return {
    components: spellings(components),
    jobs: spellings(jobs),
    all: spellings([...components, ...jobs, ...tests]),
  }
}

/** The component that the library makes of `service_status`. */
const STATUS = 'status'

/** The components of a chart, including the one that the library adds. */
function componentNames({components = {}, service_status}: ServiceValues): string[] {
  return [...Object.keys(components), ...(service_status === undefined ? [] : [STATUS])]
}

/** The keys of `manifests`, with which an object can be omitted. */
export function manifestKeys(values: ServiceValues): string[] {
  const components = Object.entries(values.components ?? {}).flatMap(([name, {kind, storage}]) => [
    `${String(kind ?? 'Deployment').toLowerCase()}_${name}`,
    `service_${name}`,
    `pdb_${name}`,
    ...(storage === undefined ? [] : [`pvc_${name}`]),
  ])
  return [
    ...components,
    ...(values.service_status === undefined ? [] : [`deployment_${STATUS}`]),
    ...jobNames(values).map((name) => `job_${name}`),
    ...cronjobNames(values).map((name) => `cron_job_${name}`),
    ...Object.keys(values.tests ?? {}).map((name) => `pod_${name}`),
    ...Object.keys(values.generated ?? {}).map((name) => `secret_${name}`),
    ...configMapNames(values).map((name) => `configmap_${name}`),
    'network_policy',
    'rbac',
    'secret_env',
    'secret_files',
  ].map(plain)
}

/** The ConfigMaps of a chart: those that the library makes, and those that its files name. */
function configMapNames({files = {}}: ServiceValues): readonly string[] {
  return [...new Set(['bin', 'etc', ...Object.values(files).flatMap(({configmap}) => configmap ?? [])])]
}

/** The jobs of a chart, including those that the library adds. */
export function jobNames(values: ServiceValues): string[] {
  return [...makingJobs(values), ...Object.keys(values.jobs ?? {})]
}

/**
 * The jobs with which the library creates a service's resources in others: databases, a user of the message
 * bus, a registration.
 */
function makingJobs({databases, files = {}, registration}: ServiceValues): string[] {
  const isOnBus = Object.values(files).some(({uses}) => uses?.messaging || uses?.notifications)
  return [
    ...(databases === undefined ? [] : ['db-create']),
    ...(isOnBus ? ['bus-create'] : []),
    ...(registration === undefined ? [] : ['register']),
  ]
}

/** The cronjobs of a chart, including those from which `kk remove --purge` and a restore make a Job. */
function cronjobNames(values: ServiceValues): string[] {
  const isMaking = makingJobs(values).length > 0
  const isDumped = values.databases && Object.values(values.jobs ?? {}).some(({migration}) => migration)
  return [
    ...(isMaking ? ['cleanup'] : []),
    ...(isDumped ? ['db-restore'] : []),
    ...Object.keys(values.cronjobs ?? {}),
  ]
}

function plain(name: string): string {
  return name.replaceAll('-', '_')
}
