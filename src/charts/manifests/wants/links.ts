import type {StatedWant, Waiting} from './stated-want.ts'

const LINK = /\b([A-Z][A-Z0-9_]*)_SERVICE_HOST\b/g

/** `KEYSTONE_API_SERVICE_HOST`: Kubernetes sets it in a pod that is younger than the Service, and in no other. */
export function linkWants({text}: Waiting): readonly StatedWant[] {
  if (!text.includes('_SERVICE_HOST')) return []
  const found = new Set(Array.from(text.matchAll(LINK), ([, variable]) => variable!))
  found.delete('KUBERNETES')
  return [...found].map((variable) => ({
    kind: 'applied',
    target: {what: 'link', variable},
    text: `reads ${variable}_SERVICE_HOST, which is set only if the Service is older than the pod`,
  }))
}
