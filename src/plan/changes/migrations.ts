import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {canonicalJson} from '../digest.ts'

/** The annotation of a Job that changes the schema of a database. */
const MIGRATION_ANNOTATION = 'kk.openstack.org/migration'
/** The annotation of the Job that dumps the databases before it migrates them: the claim of the dumps. */
const DUMPS_ANNOTATION = 'kk.openstack.org/dumps'

/** A dump of databases, taken before their first migration by a Job. */
export interface Dump {
  readonly claim: string
  /** The release, or the section of a release that is a part of it: a directory of the claim. */
  readonly directory: string
  /** The name of the Job, after which the file is named. */
  readonly job: string
}

/**
 * Returns the names of the Jobs that migrate a database and differ between both manifests: a database was, or
 * would have been, migrated from one to the other. Names of Jobs that end in a hash of their spec differ,
 * too.
 */
export function migrationsBetween(
  last: readonly KubernetesObject[],
  target: readonly KubernetesObject[],
): readonly string[] {
  const [current, earlier] = [migrations(last), migrations(target)]
  const names = new Set([...current.keys(), ...earlier.keys()])
  return [...names].filter((name) => specOf(current, name) !== specOf(earlier, name)).sort()
}

/** Returns the dump that the first migration from one manifest to the next takes, if it takes one. */
export function dumpBetween(
  next: readonly KubernetesObject[],
  before: readonly KubernetesObject[],
): Dump | undefined {
  const names = migrationsBetween(next, before)
  const jobs = [...migrations(next)].filter(([name]) => names.includes(name))
  for (const [job, {metadata}] of jobs) {
    const claim = metadata.annotations?.[DUMPS_ANNOTATION]
    const directory = metadata.labels?.['app.kubernetes.io/instance']
    if (claim !== undefined && directory !== undefined) return {claim, directory, job}
  }
  return undefined
}

/**
 * Returns the dump with the state of a revision: the one that the first migration of the revisions after it,
 * in their order, has taken.
 */
export function dumpOfState(
  revision: readonly KubernetesObject[],
  later: readonly (readonly KubernetesObject[])[],
): Dump | undefined {
  const first = later.find((next) => migrationsBetween(next, revision).length > 0)
  return first && dumpBetween(first, revision)
}

/** Returns the name of the CronJob of a manifest from which a Job that restores a dump is made. */
export function restoreCronJob(objects: readonly KubernetesObject[]): string | undefined {
  return objects.find(
    ({kind, metadata}) =>
      kind === 'CronJob' && metadata.labels?.['app.kubernetes.io/component'] === 'db-restore',
  )?.metadata.name
}

function specOf(jobs: ReadonlyMap<string, KubernetesObject>, name: string): string | undefined {
  const job = jobs.get(name)
  return job && canonicalJson(job.spec ?? null)
}

function migrations(objects: readonly KubernetesObject[]): ReadonlyMap<string, KubernetesObject> {
  const jobs = objects.filter(
    ({kind, metadata}) =>
      kind === 'Job' && (metadata.annotations?.[MIGRATION_ANNOTATION] ?? 'false') !== 'false',
  )
  return new Map(jobs.map((job) => [job.metadata.name, job]))
}
