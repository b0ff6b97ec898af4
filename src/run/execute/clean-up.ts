import {asKkError, KkError} from '../../base/errors.ts'
import {describeCause} from '../../kubernetes/gate/cause.ts'
import {CLEANUP_VARIABLE, type ReleaseCleanup, resourceText} from '../../plan/removal/cleanup.ts'
import {releaseName, releaseNamespace} from '../../release.ts'
import {type Execution, masking} from './execution.ts'

/**
 * Removes the data of a release from other services, by a Job of the CronJob that its chart has for that,
 * while everything that the Job needs still exists. The Job is idempotent. Throws `KK_CLEANUP`,
 * `KK_INTERRUPTED`.
 */
export async function cleanUp(
  execution: Execution<'remove'>,
  {cronJob, deleted}: Pick<ReleaseCleanup, 'cronJob' | 'deleted'>,
): Promise<void> {
  const {action, cluster, controls, deadline, journal, run} = execution
  const {release} = action
  controls.signal.throwIfAborted()
  const {name, namespace = releaseNamespace(release)} = cronJob.metadata
  const job = `${name}-${run.slice(-4)}`
  await journal.note({type: 'object-deleting', release, object: deleted.map(resourceText).join(', ')})
  controls.onProgress('gate', `removing with Job/${job}: ${deleted.map(resourceText).join(', ')}`)
  try {
    const created = await cluster.live.createJobOf({
      namespace,
      cronJob: name,
      job,
      variables: {[CLEANUP_VARIABLE]: JSON.stringify(deleted)},
    })
    await cluster.health.gate({
      namespace,
      objects: [created],
      deadline,
      signal: controls.signal,
      onProgress: (causes) => {
        if (causes[0]) controls.onProgress('gate', describeCause(causes[0]), causes)
      },
      redact: masking(execution),
    })
  } catch (error) {
    throw failed(execution, asKkError(error))
  }
  for (const thing of deleted) controls.onDeleted(resourceText(thing))
}

function failed({action: {release}}: Execution, cause: KkError): KkError {
  if (cause.code === 'KK_INTERRUPTED') return cause
  return new KkError(
    'KK_CLEANUP',
    `${release} stays: its data in other services was not removed: ${cause.message}`,
    {
      cause,
      hint: `repeat the command when that is fixed; without --purge ${releaseName(release)} is removed and its data stays`,
      log: cause.log,
    },
  )
}
