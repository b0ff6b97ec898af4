import type {ApiClient} from '../api/client.ts'
import {mapParallel} from '../parallel.ts'

/** One thing that a user may do or not, as Kubernetes' authorization knows it. */
export interface Access {
  readonly group: string
  /** With a subresource: `pods/log`. */
  readonly resource: string
  readonly verb: string
  /** Empty for what lies in no namespace, and for all namespaces at once. */
  readonly namespace: string
  /** Only this object. */
  readonly name?: string
}

const AT_ONCE = 8

/** Whether the user may do each of these (SelfSubjectAccessReview, which everybody may ask), in their order. */
export function reviewAccess(client: ApiClient, accesses: readonly Access[]): Promise<readonly boolean[]> {
  return mapParallel(accesses, AT_ONCE, async ({group, resource: path, verb, namespace, name}) => {
    const [resource, subresource] = path.split('/')
    const {status} = await client.json<{readonly status?: {readonly allowed?: boolean}}>({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: {
          resourceAttributes: {
            group,
            resource,
            verb,
            namespace,
            ...(subresource !== undefined && {subresource}),
            ...(name !== undefined && {name}),
          },
        },
      },
      asked: 'tell what you may do',
    })
    return status?.allowed === true
  })
}
