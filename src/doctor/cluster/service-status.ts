import {mapParallel} from '../../base/parallel.ts'
import {type Cause, partialNotes, passes} from '../../kubernetes/gate/health.ts'
import {isServiceReport, reportsStatus, SERVICE_REASON} from '../../kubernetes/gate/service-status.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {objectName} from '../../kubernetes/manifest/manifest.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import type {ReadRecord} from '../facts.ts'
import type {Check, CheckFinding} from '../finding.ts'

/** Shows what services report of themselves, as `kk status` does; with a file only those of its releases. */
export const serviceStatusCheck: Check = {
  name: 'service-status',
  okMessage: 'every service reports that it is healthy',
  async run({cluster, readRecords, prepared, kubectl}) {
    const reporting = [...reportingOf(await readRecords()).values()].filter(
      ({release}) => !prepared || prepared.releases.has(release),
    )
    if (reporting.length === 0) {
      return [{level: 'info', what: 'not known: no release reports the status of its service'}]
    }
    const findings = await mapParallel(reporting, async ({release, object}) => {
      const namespace = object.metadata.namespace ?? releaseNamespace(release)
      const name = releaseName(release)
      const health = await cluster.health.of(namespace, [object])
      const advice = `${kubectl} logs ${objectName(object).toLowerCase()} --namespace ${namespace}`
      const findings = passes(health)
        ? partialNotes(health)
            .filter(isServiceReport)
            .map((note) => judgeAway(note, name))
        : health.blames.map((cause) => judge(cause, name))
      return findings.map((finding) => ({...finding, advice}))
    })
    const well = findings.filter((each) => each.length === 0).length
    const what = `${well} of ${reporting.length} services report that they are healthy`
    return [...findings.flat(), {level: well === reporting.length ? 'ok' : 'info', what}]
  },
}

interface Reporting {
  readonly release: ReleaseId
  readonly object: KubernetesObject
}

/** Returns the objects that report, each once: several revisions of a release may be live. */
function reportingOf(records: readonly ReadRecord[]): ReadonlyMap<string, Reporting> {
  const all = records.flatMap((each): readonly Reporting[] => {
    if (!('objects' in each)) return []
    const {release} = each.record
    return each.objects.filter(reportsStatus).map((object) => ({release, object}))
  })
  return new Map(all.map((each) => [`${each.release} ${objectName(each.object)}`, each]))
}

function judge(cause: Cause, name: string): CheckFinding {
  const {reason, message, detail} = cause
  if (reason === SERVICE_REASON) return {level: 'problem', what: `${name}: ${message}`}
  if (isServiceReport(cause)) return {level: 'warning', what: `${name}: ${message}`}
  const why = [message, reason, detail].filter((each) => each !== undefined).join(': ')
  return {level: 'warning', what: `${name}: not known: its status is not reported: ${why}`}
}

/** What is left behind: gates do not wait for it either. */
function judgeAway({message}: Cause, name: string): CheckFinding {
  return {level: 'warning', what: `${name}: on nodes that are away: ${message}`}
}
