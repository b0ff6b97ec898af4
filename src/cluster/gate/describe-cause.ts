import type {Cause} from '../cluster.ts'

/** One line, e.g. `Deployment/keystone-api: 1 of 3 replicas are available; pod keystone-api-x, container api: CrashLoopBackOff (back-off 10s …)`. */
export function describeCause(cause: Cause): string {
  const why = whyOf(cause)
  return [`${cause.object}: ${cause.message}`, ...(why ? [why] : [])].join('; ')
}

/** The same with the pod, its container and the reason first, where a pod is the cause. */
export function describeCulprit(cause: Cause): string {
  if (cause.pod === undefined) return describeCause(cause)
  return `${whyOf(cause)}; ${cause.object}: ${cause.message}`
}

function whyOf({message, pod, container, reason, detail}: Cause): string {
  const where = [pod && `pod ${pod}`, container && `container ${container}`].filter(Boolean).join(', ')
  const says =
    reason && !message.includes(reason)
      ? `${reason}${detail ? ` (${oneLine(detail)})` : ''}`
      : detail && oneLine(detail)
  return [where, says].filter(Boolean).join(': ')
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').trim()
}
