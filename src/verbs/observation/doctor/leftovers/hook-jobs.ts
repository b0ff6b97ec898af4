import type {SeenHookJob} from '../../../../cluster/diagnosis/diagnosis.ts'
import {releaseNamespace} from '../../../../release.ts'
import type {ReadRecord} from '../facts.ts'
import type {Check, Found} from '../finding.ts'

/** Jobs that were hooks of releases which are gone, or no longer have them: helm never looks at them again. */
export const hookJobsCheck: Check = {
  name: 'hook-jobs',
  needs: 'cluster',
  fine: 'no hook Job is left of a release that is gone',
  async find({cluster, readRecords, kubectl}) {
    const [jobs, records] = await Promise.all([cluster.diagnosis.hookJobs(), readRecords()])
    return judgeHookJobs(jobs, records, kubectl)
  },
}

function judgeHookJobs(
  jobs: readonly SeenHookJob[],
  records: readonly ReadRecord[],
  kubectl: string,
): readonly Found[] {
  // What cannot be read may have any of them.
  const blind = new Set(
    records.flatMap((each) => ('unreadable' in each ? [releaseNamespace(each.record.release)] : [])),
  )
  const known = new Set(
    records.flatMap((each) => {
      if (!('hooks' in each)) return []
      const home = releaseNamespace(each.record.release)
      return each.hooks
        .filter(({kind}) => kind === 'Job')
        .map(({metadata}) => `${metadata.namespace ?? home}/${metadata.name}`)
    }),
  )
  return jobs
    .filter(({namespace, name}) => !blind.has(namespace) && !known.has(`${namespace}/${name}`))
    .map(({namespace, name, hook}) => ({
      level: 'warning',
      what: `the Job ${namespace}/${name} was a ${hook} hook, and no release has it any more: helm leaves it for ever`,
      advice: `${kubectl} delete job ${name} --namespace ${namespace}`,
    }))
}
