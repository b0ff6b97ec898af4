import type {ConfigMap} from 'kubernetes-types/core/v1.js'
import type {ReleaseId} from '../../release.ts'
import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import {listAll} from '../api/list.ts'
import {CONFIG_MAPS, readObject, requestText, resourcePath} from '../api/resources.ts'
import type {Served} from '../api/served.ts'
import {createNamespace, KK_NAMESPACE} from '../lease/lease.ts'

/** The outcome of a run; a killed run stays `running`. */
export type RunOutcome = 'running' | 'succeeded' | 'failed' | 'interrupted'

/** The result of a run for one release. */
export interface RunRelease {
  readonly release: ReleaseId
  /** The action, e.g. `upgrade`. */
  readonly kind: string
  /**
   * As `installationOf`: revisions of another installation have the same numbers. Undefined in records of an
   * older kk.
   */
  readonly installation?: string
  /** The last revision when the run began; 0 if there was none. */
  readonly before: number
  /** The last earlier revision whose gate had passed; 0 if helm keeps none. */
  readonly gatedBefore: number
  /** The last revision when the action ended; undefined until then. */
  readonly after?: number
  /** The inputs digest that was planned. */
  readonly inputs: string
  /** The target revision of a rollback. */
  readonly target?: number
  /** Objects that kk deleted, not helm: `ConfigMap/extra`. */
  readonly deleted?: readonly string[]
  /** Claims to delete after helm has removed the release, each only with this UID. */
  readonly claims?: readonly {readonly namespace: string; readonly name: string; readonly uid: string}[]
  /** Whether the action replaces images of the release. */
  readonly replacesImages?: boolean
  /** How long an installation or an upgrade took that has succeeded. */
  readonly seconds?: number
  readonly outcome: 'waiting' | 'running' | 'succeeded' | 'failed' | 'skipped'
  /** The code of the error that it failed with. */
  readonly code?: string
}

/** The record of a run in the cluster. Contains no values and no output of other programs. */
export interface RunRecord {
  readonly id: string
  readonly environment: string
  /** The environment file as the user wrote it. */
  readonly file: string
  readonly verb: string
  /**
   * The releases that the command line named, whether they might be new, and whether to correct drift: for
   * `kk resume`.
   */
  readonly scope: {
    readonly names: readonly string[]
    readonly install: boolean
    readonly correctDrift?: {readonly forceConflicts: boolean}
  }
  /** `user@host`. */
  readonly who: string
  readonly process: {readonly host: string; readonly pid: number; readonly started?: string}
  /** The reason that the user gave. */
  readonly message?: string
  /** The run that this one resumes or undoes. */
  readonly of?: string
  /** The time of its start, ISO 8601 by the clock of the machine that ran it. */
  readonly startedAt: string
  readonly endedAt?: string
  readonly outcome: RunOutcome
  /** The releases that the run must change, in the order of its plan; unchanged ones are omitted. */
  readonly releases: readonly RunRelease[]
}

/** The records of runs: ConfigMaps in `kk-system`. Every function throws like those of `Cluster`. */
export interface RunRecords {
  /** Creates the record, or replaces it. */
  write(record: RunRecord): Promise<void>
  read(id: string): Promise<RunRecord | undefined>
  /** Returns the records of one environment, or of all, newest first. */
  list(environment?: string): Promise<readonly RunRecord[]>
  /** Deletes the oldest records of an environment, so that at most `keep` remain. */
  prune(environment: string, keep: number): Promise<void>
}

/**
 * The timeout of a request, in milliseconds. A run does not end before its record is written, so it must not
 * hang on an unresponsive API server.
 */
const RESPONSE_TIMEOUT_MS = 10_000

/** Returns the records of runs on one cluster. */
export function runRecords(client: ApiClient): RunRecords {
  return {
    write: (record) => writeRecord(client, record),
    read: (id) => readRecord(client, id),
    list: (environment) => listRecords(client, environment),
    async prune(environment, keep) {
      const records = await listRecords(client, environment)
      for (const {id} of records.slice(keep)) await deleteRecord(client, id)
    },
  }
}

async function writeRecord(client: ApiClient, record: RunRecord): Promise<void> {
  const name = configMapName(record.id)
  const apply = () =>
    client.json({
      method: 'PATCH',
      path: resourcePath(CONFIG_MAPS, KK_NAMESPACE, name),
      query: {fieldManager: 'kk', force: 'true'},
      contentType: 'application/apply-patch+yaml',
      body: recordConfigMap(record),
      summary: requestText('write', CONFIG_MAPS, KK_NAMESPACE, name),
      timeout: RESPONSE_TIMEOUT_MS,
      repeatable: true,
    })
  try {
    await apply()
  } catch (error) {
    if (!isApiError(error, 404)) throw error
    await createNamespace(client)
    await apply()
  }
}

async function readRecord(client: ApiClient, id: string): Promise<RunRecord | undefined> {
  const at = {namespace: KK_NAMESPACE, name: configMapName(id)}
  const configMap = await readObject<Served<ConfigMap>>(client, CONFIG_MAPS, at)
  return configMap && recordIn(configMap)
}

async function listRecords(
  client: ApiClient,
  environment: string | undefined,
): Promise<readonly RunRecord[]> {
  const {items} = await listAll<Served<ConfigMap>>(client, {
    path: resourcePath(CONFIG_MAPS, KK_NAMESPACE),
    query: {
      labelSelector:
        environment === undefined ? RUN_LABEL : `${RUN_LABEL},${ENVIRONMENT_LABEL}=${environment}`,
    },
    summary: requestText('list', CONFIG_MAPS, KK_NAMESPACE),
  })
  return items
    .flatMap((item) => recordIn(item) ?? [])
    .sort((a, b) => compare(b.startedAt, a.startedAt) || compare(b.id, a.id))
}

async function deleteRecord(client: ApiClient, id: string): Promise<void> {
  const name = configMapName(id)
  try {
    await client.json({
      method: 'DELETE',
      path: resourcePath(CONFIG_MAPS, KK_NAMESPACE, name),
      summary: requestText('delete', CONFIG_MAPS, KK_NAMESPACE, name),
    })
  } catch (error) {
    if (!isApiError(error, 404)) throw error
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/** The labels that select records. */
const RUN_LABEL = 'kk.openstack.org/run'
const ENVIRONMENT_LABEL = 'kk.openstack.org/environment'

/** The version of the format; incremented when the present version of kk would misread the new format. */
const FORMAT_VERSION = '1'

function configMapName(run: string): string {
  return `kk-run-${run}`
}

/** Returns the ConfigMap of a record, as it is applied. */
function recordConfigMap(record: RunRecord): object {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: configMapName(record.id),
      namespace: KK_NAMESPACE,
      labels: {[RUN_LABEL]: record.id, [ENVIRONMENT_LABEL]: record.environment},
    },
    data: {form: FORMAT_VERSION, run: JSON.stringify(record)},
  }
}

/** Returns the record in a ConfigMap; undefined if a newer kk wrote it, or it cannot be parsed. */
function recordIn({data}: Served<ConfigMap>): RunRecord | undefined {
  if (data?.form !== FORMAT_VERSION || data.run === undefined) return undefined
  try {
    const record: unknown = JSON.parse(data.run)
    return isRecord(record) ? record : undefined
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is RunRecord {
  const {id, environment, releases} = (value ?? {}) as Partial<RunRecord>
  return typeof id === 'string' && typeof environment === 'string' && Array.isArray(releases)
}
