import type {Blame} from '../cluster.ts'

/** One line, e.g. `Deployment/keystone-api: 1 of 3 replicas are available; pod keystone-api-x, container api: CrashLoopBackOff (back-off 10s …)`. */
export function describeBlame(blame: Blame): string {
  const why = whyOf(blame)
  return [`${blame.object}: ${blame.message}`, ...(why ? [why] : [])].join('; ')
}

/** The same with the pod, its container and the reason first, where a pod is to blame. */
export function describeCulprit(blame: Blame): string {
  if (blame.pod === undefined) return describeBlame(blame)
  return `${whyOf(blame)}; ${blame.object}: ${blame.message}`
}

function whyOf({message, pod, container, reason, detail}: Blame): string {
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
