import {KkError} from '../../../errors.ts'
import type {ApiClient} from '../../api/client.ts'
import {listAll} from '../../api/list.ts'
import {asking, type Resource, readObject, resourcePath} from '../../api/resources.ts'

const SLICES: Resource = {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
}
const ENDPOINTS: Resource = {apiVersion: 'v1', kind: 'Endpoints', plural: 'endpoints', namespaced: true}

interface Slice {
  readonly endpoints?: readonly {readonly conditions?: {readonly ready?: boolean}}[] | null
}

interface Endpoints {
  readonly subsets?: readonly {readonly addresses?: readonly unknown[]}[]
}

/** Whether some pod behind the Service is ready. Charts of before EndpointSlices allow only Endpoints to be read. */
export async function hasEndpoint(
  client: ApiClient,
  {namespace, name}: {readonly namespace: string; readonly name: string},
): Promise<boolean> {
  try {
    const {items} = await listAll<Slice>(client, {
      path: resourcePath(SLICES, namespace),
      query: {labelSelector: `kubernetes.io/service-name=${name}`},
      asked: asking('list', SLICES, namespace),
    })
    return items.some(({endpoints}) => endpoints?.some(({conditions}) => conditions?.ready !== false))
  } catch (error) {
    if (!(error instanceof KkError && error.code === 'KK_FORBIDDEN')) throw error
    const found = await readObject<Endpoints>(client, ENDPOINTS, {namespace, name})
    return found?.subsets?.some(({addresses}) => (addresses?.length ?? 0) > 0) ?? false
  }
}
