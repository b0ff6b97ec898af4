import {mapParallel} from '../../base/parallel.ts'
import type {ApiClient} from '../api/client.ts'

/** One access that a user has or not, in the terms of Kubernetes' authorization. */
export interface Access {
  readonly group: string
  /** The plural, with a subresource if there is one: `pods/log`. */
  readonly resource: string
  readonly verb: string
  /** The namespace; empty for cluster-scoped objects, and for all namespaces at once. */
  readonly namespace: string
  /** The name, if the access is to one object only. */
  readonly name?: string
}

/**
 * Returns for each access, in their order, whether the user has it (SelfSubjectAccessReview, which every user
 * may create).
 */
export function reviewAccess(client: ApiClient, accesses: readonly Access[]): Promise<readonly boolean[]> {
  return mapParallel(accesses, async ({group, resource: path, verb, namespace, name}) => {
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
      summary: 'review what you may do',
    })
    return status?.allowed === true
  })
}
