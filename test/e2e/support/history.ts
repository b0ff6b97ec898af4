import {type AuditEvent, auditEvents} from './cluster.ts'

/** What the API server noted of one release. Times sort as text. */
export interface ReleaseHistory {
  /** When the first write of its record or of one of its objects came in. */
  readonly started: string
  /** When the last of its objects was there. */
  readonly applied: string
  /** When the last of its pods became Ready or, if it is to end, succeeded. */
  readonly ready: string
}

/** What happened to the releases of a namespace, by name, until now. */
export async function history(namespace: string): Promise<(release: string) => ReleaseHistory> {
  const events = await auditEvents(namespace)
  return (release) => {
    const mine = events.filter((event) => isOf(release, event))
    const writes = mine.filter(isHelms)
    const objects = writes.filter(({objectRef}) => !objectRef?.name?.startsWith('sh.helm.release'))
    return {
      started: first(writes.map(({requestReceivedTimestamp}) => requestReceivedTimestamp)),
      applied: last(objects.map(({stageTimestamp}) => stageTimestamp)),
      ready: last(mine.filter(isPodReady).map(({stageTimestamp}) => stageTimestamp)),
    }
  }
}

/** Objects are named after their release, records `sh.helm.release.v1.<release>.v<revision>`. */
function isOf(release: string, {objectRef}: AuditEvent): boolean {
  const name = (objectRef?.name ?? '').replace(/^sh\.helm\.release\.v1\./, '')
  return name === release || name.startsWith(`${release}-`) || name.startsWith(`${release}.`)
}

export function isHelms({userAgent, verb, requestURI}: AuditEvent): boolean {
  const writes = ['create', 'update', 'patch'].includes(verb)
  return writes && /^Helm/.test(userAgent ?? '') && !requestURI.includes('dryRun=')
}

export function isPodReady({objectRef, verb, requestObject}: AuditEvent): boolean {
  if (verb !== 'patch' || objectRef?.resource !== 'pods' || objectRef.subresource !== 'status') return false
  const {phase, conditions = []} = requestObject?.status ?? {}
  return phase === 'Succeeded' || conditions.some(({type, status}) => type === 'Ready' && status === 'True')
}

function first(times: readonly string[]): string {
  return known(times.toSorted()[0])
}

function last(times: readonly string[]): string {
  return known(times.toSorted().at(-1))
}

function known(time: string | undefined): string {
  if (time === undefined) throw new Error('the audit log does not tell')
  return time
}
