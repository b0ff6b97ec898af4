import type {ImagePull} from './image-pull.ts'

export const PULL_LABEL = 'kk.openstack.org/pull'

/** Nobody waits for it: it ends by itself, also when kk was killed. */
const LONGEST_SECONDS = 1800
const KEPT_SECONDS = 60

/** No image has it: the kubelet pulls the image, fails to start the container, and goes on with the next one. */
const NOTHING = '/kk/nothing-to-run'

/**
 * A Job with a pod on each of so many nodes. Its containers never run, so that nothing is asked of an image but to be
 * there; the pod has no token and the least of rights.
 */
export function pullJob(name: string, {namespace, images, placement}: ImagePull, nodes: number): object {
  const labels = {[PULL_LABEL]: name}
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {name, namespace, labels},
    spec: {
      ...{parallelism: nodes, completions: nodes, backoffLimit: 0},
      ...{activeDeadlineSeconds: LONGEST_SECONDS, ttlSecondsAfterFinished: KEPT_SECONDS},
      template: {
        metadata: {labels},
        spec: {
          ...placement,
          ...{restartPolicy: 'Never', terminationGracePeriodSeconds: 0},
          ...{automountServiceAccountToken: false, enableServiceLinks: false},
          securityContext: {runAsNonRoot: true, runAsUser: 65534, seccompProfile: {type: 'RuntimeDefault'}},
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                {topologyKey: 'kubernetes.io/hostname', labelSelector: {matchLabels: labels}},
              ],
            },
          },
          containers: images.map(({image, policy}, at) => ({
            name: `image-${at}`,
            image,
            ...(policy !== undefined && {imagePullPolicy: policy}),
            command: [NOTHING],
            securityContext: {
              ...{allowPrivilegeEscalation: false, readOnlyRootFilesystem: true},
              capabilities: {drop: ['ALL']},
            },
          })),
        },
      },
    },
  }
}
