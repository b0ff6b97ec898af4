import {inject} from 'vitest'
import {askApi} from './api.ts'
import {kubectl, uniqueName, waitFor} from './cluster.ts'

interface Pod {
  readonly metadata: {readonly annotations?: Readonly<Record<string, string>>}
}

interface AnnotateOptions {
  readonly namespace: string
  /** Labels of the pods that are meant. */
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

/**
 * From now on the API server gives these pods of a namespace annotations when they are created, whatever
 * their chart says: so that `src/sandbox/stages/pod.ts` lets them fail, or be late. Returns a function that
 * ends it.
 */
export async function annotatePods(options: AnnotateOptions): Promise<() => Promise<void>> {
  const name = uniqueName(options.namespace)
  await kubectl(['create', '--filename', '-'], {
    input: {apiVersion: 'v1', kind: 'List', items: policy(name, options)},
  })
  const isActive = async () => {
    const pod = await askApi<Pod>(inject('run').kubeconfig, {
      method: 'POST',
      path: `/api/v1/namespaces/${options.namespace}/pods?dryRun=All`,
      body: probe(options),
    })
    return Object.keys(options.annotations).every((key) => pod.metadata.annotations?.[key] !== undefined)
  }
  await waitFor(() => isActive().catch(() => false), {until: 'pods are annotated'})
  return async () => {
    const kinds = ['mutatingadmissionpolicybinding', 'mutatingadmissionpolicy']
    for (const kind of kinds) await kubectl(['delete', kind, name])
    const isGone = async () => !(await isActive())
    await waitFor(() => isGone(), {until: 'pods are not annotated any more'})
  }
}

function policy(name: string, {namespace, labels, annotations}: AnnotateOptions): object[] {
  const apiVersion = 'admissionregistration.k8s.io/v1'
  const entries = Object.entries(annotations).map(
    ([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`,
  )
  return [
    {
      apiVersion,
      kind: 'MutatingAdmissionPolicy',
      metadata: {name},
      spec: {
        reinvocationPolicy: 'Never',
        matchConstraints: {
          namespaceSelector: {matchLabels: {'kubernetes.io/metadata.name': namespace}},
          objectSelector: {matchLabels: labels},
          resourceRules: [
            {apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods']},
          ],
        },
        mutations: [
          {
            patchType: 'ApplyConfiguration',
            applyConfiguration: {
              expression: `Object{metadata: Object.metadata{annotations: {${entries.join(', ')}}}}`,
            },
          },
        ],
      },
    },
    {apiVersion, kind: 'MutatingAdmissionPolicyBinding', metadata: {name}, spec: {policyName: name}},
  ]
}

function probe({namespace, labels}: AnnotateOptions): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {name: 'probe', namespace, labels},
    spec: {containers: [{name: 'probe', image: 'probe'}]},
  }
}
