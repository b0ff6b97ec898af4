import type {ApiClient} from '../../api/client.ts'
import type {Blame} from '../../cluster.ts'
import {type Redact, redactBlame} from '../../redact-secrets.ts'
import {lastWarning} from './object-event.ts'
import {lastLogLines} from './pod-log.ts'
import {ENDED, tellingFirst} from './telling-first.ts'

/** What can be brought forward to explain a blame. */
export interface Evidence {
  /** Takes note of blames while their pods are there: a failed Job's pods are deleted, and their logs with them. */
  note(blames: readonly Blame[]): void
  /** The blames with events and log lines, as fresh as can be had; first what has ended, though it may run again just now. */
  explain(blames: readonly Blame[]): Promise<readonly Blame[]>
}

/** Reasons that say little: what is behind them stands in an event. */
const VAGUE = ['ContainersNotReady', 'ContainerCreating', 'PodInitializing', 'Pending', undefined]
/** Passes by itself: of no use when the pod runs, or is gone. */
const PASSING = ['Pending', 'ContainerCreating']
/** A container with such a reason has never run. */
const WITHOUT_LOG = /Image|^ContainerCreating$|CreateContainer|RunContainer|Unschedulable|Pending/
const MOST_EXPLAINED = 5

export function gatherEvidence(client: ApiClient, namespace: string, redact: Redact): Evidence {
  const noted = new Map<string, Blame>()
  const logs = new Map<string, Promise<readonly string[]>>()

  function fetchLog(blame: Blame): Promise<readonly string[]> {
    const {pod, container, reason} = blame
    if (!pod || !container || WITHOUT_LOG.test(reason ?? '')) return Promise.resolve([])
    const place = {namespace: blame.namespace ?? namespace, pod, container}
    return lastLogLines(client, place, ENDED.test(reason ?? ''))
  }

  /** The log of what has ended does not change, so one fetch for each end is enough. */
  function notedLog(blame: Blame): Promise<readonly string[]> {
    const key = [blame.namespace, blame.pod, blame.container].join('/')
    const end = `${key} ${blame.reason} ${blame.detail}`
    if (!logs.has(end)) {
      const before = logs.get(key)
      const fetched = fetchLog(blame).then(async (lines) =>
        lines.length > 0 ? lines : ((await before) ?? []),
      )
      logs.set(end, fetched)
      logs.set(key, fetched)
    }
    return logs.get(end) ?? Promise.resolve([])
  }

  async function explainOne(blame: Blame): Promise<Blame> {
    const [log, warned] = await Promise.all([freshOr(blame), warning(blame)])
    return redactBlame({...warned, ...(log.length > 0 && {log})}, redact)
  }

  async function freshOr(blame: Blame): Promise<readonly string[]> {
    const fresh = await fetchLog(blame)
    if (fresh.length > 0) return fresh
    return (await logs.get([blame.namespace, blame.pod, blame.container].join('/'))) ?? []
  }

  async function warning(blame: Blame): Promise<Blame> {
    if (!VAGUE.includes(blame.reason)) return blame
    const [kind = '', name = ''] = blame.pod ? ['Pod', blame.pod] : blame.object.split('/')
    const event = await lastWarning(client, {namespace: blame.namespace ?? namespace, kind, name})
    if (!event?.message) return blame
    return {...blame, reason: event.reason ?? blame.reason ?? 'Warning', detail: event.message}
  }

  return {
    note(blames) {
      for (const blame of blames) {
        if (!blame.pod || PASSING.includes(blame.reason ?? '')) continue
        noted.set(blame.object, blame)
        if (ENDED.test(blame.reason ?? '')) void notedLog(blame)
      }
    },
    async explain(blames) {
      const known = tellingFirst(blames.map((blame) => withPod(blame, noted.get(blame.object))))
      const explained = await Promise.all(known.slice(0, MOST_EXPLAINED).map(explainOne))
      return [...explained, ...known.slice(MOST_EXPLAINED)]
    },
  }
}

/** The pod that was last to blame, when the pods of the object are gone. */
function withPod(blame: Blame, noted: Blame | undefined): Blame {
  if (blame.pod || !noted) return blame
  const {pod, container, reason, detail} = noted
  return {
    ...blame,
    ...(pod && {pod}),
    ...(container && {container}),
    ...(reason && {reason}),
    ...(detail && {detail}),
  }
}
