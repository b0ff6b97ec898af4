import type {Redact} from '../../redact/redact.ts'
import {type Cause, type Health, passes} from './health.ts'
import {isServiceReport} from './service-status.ts'

/**
 * Returns one line, e.g. `Deployment/keystone-api: 1 of 3 replicas are available; pod keystone-api-x,
 * container api: CrashLoopBackOff (back-off 10s …)`.
 */
export function describeCause(cause: Cause): string {
  const why = describePod(cause)
  return [`${cause.object}: ${cause.message}`, ...(why ? [why] : [])].join('; ')
}

/** Returns one line that begins with the pod, its container and the reason if a pod is the cause. */
export function describeCulprit(cause: Cause): string {
  if (cause.pod === undefined) return describeCause(cause)
  return `${describePod(cause)}; ${cause.object}: ${cause.message}`
}

function describePod(cause: Cause): string {
  const {message, pod, container, detail} = cause
  const reason = isServiceReport(cause) ? undefined : cause.reason
  const place = [pod && `pod ${pod}`, container && `container ${container}`].filter(Boolean).join(', ')
  const reasonAndDetail =
    reason && !message.includes(reason)
      ? `${reason}${detail ? ` (${oneLine(detail)})` : ''}`
      : detail && oneLine(detail)
  return [place, reasonAndDetail].filter(Boolean).join(': ')
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').trim()
}

/**
 * Masks the message, detail and log of a cause: they contain a container's output, which may hold secrets.
 */
export function redactCause(cause: Cause, redact: Redact): Cause {
  const {message, detail, log} = cause
  return {
    ...cause,
    message: redact(message),
    ...(detail && {detail: redact(detail)}),
    ...(log && {log: log.map(redact)}),
  }
}

/** Masks the causes and the notes of a health. */
export function redactHealth<T extends Health>(health: T, redact: Redact): T {
  const masked = (causes: readonly Cause[]) => causes.map((cause) => redactCause(cause, redact))
  if (passes(health)) return health.notes ? {...health, notes: masked(health.notes)} : health
  return {...health, blames: masked(health.blames)}
}
