import {KkError} from '../../base/errors.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {objectName} from '../../kubernetes/manifest/manifest.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import type {Dump} from '../changes/migrations.ts'

export interface PrunedRevision {
  readonly release: ReleaseId
  /** The wanted revision; 0 if no revision that helm keeps has passed its gate. */
  readonly revision: number
  /** The revisions that helm still keeps, ascending. */
  readonly kept: readonly number[]
}

/** Returns `KK_PRUNED`: helm no longer keeps the target revisions. */
export function pruned(revisions: readonly PrunedRevision[]): KkError {
  const texts = revisions.map(({release, revision, kept}) => {
    const has = kept.length === 0 ? '' : ` (helm keeps ${kept.join(', ')})`
    return revision === 0
      ? `no revision of ${release} whose gate had passed is left${has}`
      : `revision ${revision} of ${release} no longer exists${has}`
  })
  const [first] = revisions
  return new KkError('KK_PRUNED', `nothing was rolled back: ${texts.join('; ')}`, {
    hint: first
      ? `see "kk history ${releaseName(first.release)}", and name a revision that is kept: kk rollback --release ${releaseName(first.release)} --revision N`
      : 'see kk history',
  })
}

/** Returns `KK_NO_REVISION`: the target revisions were never made. */
export function missingRevisions(revisions: readonly PrunedRevision[]): KkError {
  const texts = revisions.map(({release, revision, kept}) => {
    return `${release} has no revision ${revision} yet: its last one is ${kept.at(-1)}`
  })
  const [first] = revisions
  const name = first ? releaseName(first.release) : 'R'
  return new KkError('KK_NO_REVISION', `nothing was rolled back: ${texts.join('; ')}`, {
    hint: `see "kk history ${name}", and name one that it shows: kk rollback --release ${name} --revision N`,
  })
}

/** A dump from before a migration, and the CronJob from which a Job that restores it is made. */
export interface RestorableDump extends Dump {
  readonly release: ReleaseId
  readonly cronJob: string
}

/**
 * Returns `KK_MIGRATION`: the rollback crosses migrations of databases. It has the commands that restore the
 * dumps from before these.
 */
export function crossesMigration(
  crossings: readonly {readonly release: ReleaseId; readonly jobs: readonly string[]}[],
  dumps: readonly RestorableDump[] = [],
): KkError {
  const texts = crossings.map(({release, jobs}) => `${release} (${jobs.join(', ')})`)
  const refusal = `nothing was rolled back: between the revisions of ${texts.join(' and ')} a database was migrated, and no rollback reverts that`
  const keep =
    'with --keep-schema the services return and the newer schema stays: do so only if the older release runs on it, as expand-and-contract migrations allow'
  const others = crossings.filter(({release}) => dumps.every((dump) => dump.release !== release))
  if (dumps.length === 0)
    return new KkError('KK_MIGRATION', refusal, {
      hint: `${keep}; otherwise restore the database from a backup`,
    })
  const rest =
    others.length === 0 ? '' : `; of ${others.map(({release}) => release).join(', ')} there is no dump`
  return new KkError(
    'KK_MIGRATION',
    [refusal, ...dumps.flatMap(restoreLines), 'then run the same rollback with --keep-schema'].join('\n'),
    {hint: `${keep}; to restore the dumps first loses what was written since${rest}`},
  )
}

/** Returns the dump of a release and the commands that restore it. */
function restoreLines({release, claim, directory, job, cronJob}: RestorableDump): readonly string[] {
  const kubectl = `kubectl --namespace ${releaseNamespace(release)}`
  const made = `${kubectl} create job ${cronJob} --from=cronjob/${cronJob} --dry-run=client --output=yaml`
  return [
    `before that, ${release} was dumped to the claim ${claim}: ${directory}/${job}.sql.gz; to restore it:`,
    `  ${made} | kubectl set env --local --filename=- DUMP=${job} --output=yaml | kubectl create --filename=-`,
    `  ${kubectl} wait job/${cronJob} --for=condition=complete --timeout=30m`,
  ]
}

/** Returns `KK_IN_THE_WAY`: helm's rollback would meet objects that it does not know, and stop half way. */
export function conflictingObjects(
  blocked: readonly {readonly release: ReleaseId; readonly objects: readonly KubernetesObject[]}[],
): KkError {
  const texts = blocked.map(({release, objects}) => `${release} (${objects.map(objectName).join(', ')})`)
  return new KkError(
    'KK_IN_THE_WAY',
    `nothing was rolled back: objects exist that the last revision of ${texts.join(' and ')} no longer has, and helm's rollback would refuse them as objects of another owner`,
    {
      hint: 'put them back into the chart or the values, with what else the older revision had, and run kk deploy: helm upgrade takes them over as they are, with their data',
    },
  )
}

/** Returns `KK_NOT_INSTALLED`: there is no release to roll back. */
export function noRelease(release: ReleaseId): KkError {
  return new KkError('KK_NOT_INSTALLED', `${release} is not installed, so it cannot be rolled back`, {
    hint: 'install all that is wanted with: kk deploy',
  })
}

/** Returns `KK_FOREIGN`: kk did not install the release. */
export function notByKk(release: ReleaseId): KkError {
  return new KkError('KK_FOREIGN', `${release} was not installed by kk, and kk does not change it`, {
    hint: `roll it back with helm: helm rollback ${releaseName(release)}`,
  })
}

/** Returns `KK_OWNER`: another environment may change the release. */
export function anotherOwner(release: ReleaseId, owner: string, environment: string): KkError {
  return new KkError(
    'KK_OWNER',
    `${release} belongs to the environment "${owner}", not to "${environment}"`,
    {hint: `roll it back as part of the environment "${owner}"`},
  )
}

/**
 * Returns `KK_NOT_INSTALLED`. Labels name a requirement only by a hash, so its name is unknown, and one in a
 * namespace that is not visible looks like one that was removed.
 */
export function requirementGone(release: ReleaseId, revision: number, unseen: string | undefined): KkError {
  const what = `nothing was rolled back: a release that revision ${revision} of ${release} requires is`
  if (unseen !== undefined) {
    return new KkError('KK_NOT_INSTALLED', `${what} not visible: ${unseen}`, {
      hint: 'roll back with an account that may list secrets in the namespaces of its requirements',
    })
  }
  return new KkError('KK_NOT_INSTALLED', `${what} no longer on the cluster`, {
    hint: 'deploy what it requires first, with an environment file that names it, then roll back',
  })
}
