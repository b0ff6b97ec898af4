import type {Blame} from '../cluster.ts'

/** One line, e.g. `Deployment/keystone-api: 1 of 3 replicas are available; pod keystone-api-x, container api: CrashLoopBackOff (back-off 10s …)`. */
export function describeBlame({object, message, pod, container, reason, detail}: Blame): string {
  const where = [pod && `pod ${pod}`, container && `container ${container}`].filter(Boolean).join(', ')
  const says =
    reason && !message.includes(reason)
      ? `${reason}${detail ? ` (${oneLine(detail)})` : ''}`
      : detail && oneLine(detail)
  const why = [where, says].filter(Boolean).join(': ')
  return why ? `${object}: ${message}; ${why}` : `${object}: ${message}`
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').trim()
}
