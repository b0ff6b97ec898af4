import {POD_VARIABLES} from '../state/processes/process-place.ts'

/** A pod that runs kk, by its image. */
interface KkPod {
  readonly account: string
  readonly container: string
  readonly image: string
  readonly command: readonly string[]
  /** Fields of the container in addition to the defaults. */
  readonly more?: object
  /** Directories with their volumes, read-only. */
  readonly files?: Readonly<Record<string, object>>
}

/**
 * The default timeout of an action and a minute, so that helm can finish before a terminating pod is killed.
 */
const GRACE_SECONDS = 960

/** Returns the spec of a pod that runs kk; it meets the Pod Security Standard `restricted`. */
export function kkPod({account, container, image, command, more = {}, files = {}}: KkPod) {
  const mounts = Object.entries(files).map(([mountPath, volume], index) => ({
    mount: {name: `files-${index}`, mountPath, readOnly: true},
    volume: {name: `files-${index}`, ...volume},
  }))
  return {
    serviceAccountName: account,
    terminationGracePeriodSeconds: GRACE_SECONDS,
    // The pause container reaps helm processes whose kk is gone.
    shareProcessNamespace: true,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65_534,
      seccompProfile: {type: 'RuntimeDefault'},
    },
    containers: [
      {
        name: container,
        image,
        command,
        // Everything that kk and helm write on this machine is disposable.
        env: [
          ...['HOME', 'TMPDIR', 'XDG_STATE_HOME', 'XDG_CACHE_HOME'].map((name) => ({name, value: '/tmp'})),
          ...Object.entries(POD_VARIABLES).map(([name, fieldPath]) => ({
            name,
            valueFrom: {fieldRef: {fieldPath}},
          })),
        ],
        ...more,
        resources: {requests: {cpu: '100m', memory: '512Mi'}, limits: {memory: '2Gi'}},
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: {drop: ['ALL']},
        },
        volumeMounts: [{name: 'tmp', mountPath: '/tmp'}, ...mounts.map(({mount}) => mount)],
      },
    ],
    volumes: [{name: 'tmp', emptyDir: {}}, ...mounts.map(({volume}) => volume)],
  }
}
