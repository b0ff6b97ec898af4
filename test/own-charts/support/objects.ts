export interface Container {
  readonly name: string
  readonly image: string
  readonly command?: readonly string[]
  readonly env?: readonly {
    readonly name: string
    readonly value?: string
    readonly valueFrom?: {readonly secretKeyRef?: {readonly name: string; readonly key: string}}
  }[]
  readonly resources: {readonly requests?: Readonly<Record<string, string>>}
  readonly securityContext: {
    readonly privileged?: boolean
    readonly allowPrivilegeEscalation?: boolean
    readonly capabilities?: {readonly drop?: readonly string[]}
  }
  readonly startupProbe?: object
  readonly readinessProbe?: object
  readonly livenessProbe?: object
  readonly lifecycle?: object
  readonly volumeMounts?: readonly {readonly name: string; readonly mountPath: string}[]
}

export interface PodSpec {
  readonly serviceAccountName: string
  readonly automountServiceAccountToken: boolean
  readonly hostNetwork?: boolean
  readonly hostPID?: boolean
  readonly hostIPC?: boolean
  readonly restartPolicy?: string
  readonly terminationGracePeriodSeconds?: number
  readonly nodeSelector: Readonly<Record<string, string>>
  readonly securityContext: {readonly seccompProfile?: object; readonly seLinuxOptions?: object}
  readonly initContainers?: readonly Container[]
  readonly containers: readonly Container[]
  readonly volumes?: readonly {
    readonly name: string
    readonly emptyDir?: object
    readonly persistentVolumeClaim?: {readonly claimName: string}
    readonly secret?: {readonly secretName: string}
    readonly configMap?: {readonly name: string}
    readonly projected?: {
      readonly sources: readonly {
        readonly configMap?: ProjectedSource
        readonly secret?: ProjectedSource
      }[]
    }
  }[]
}

interface ProjectedSource {
  readonly name: string
  readonly items: readonly {readonly key: string; readonly path: string}[]
}

/** An object of a rendered chart, with the parts that the tests look at. */
export interface KubernetesObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly labels: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly data?: Readonly<Record<string, string>>
  readonly rules?: readonly {
    readonly resources: readonly string[]
    readonly resourceNames?: readonly string[]
    readonly verbs: readonly string[]
  }[]
  readonly spec?: {
    readonly replicas?: number
    readonly ttlSecondsAfterFinished?: number
    readonly strategy?: {readonly type: string}
    readonly updateStrategy?: {readonly type: string; readonly rollingUpdate?: object}
    readonly selector?: {readonly matchLabels?: Readonly<Record<string, string>>}
    readonly ports?: readonly {readonly name: string; readonly port: number; readonly targetPort: string}[]
    readonly template?: {
      readonly metadata: {
        readonly labels: Readonly<Record<string, string>>
        readonly annotations?: Readonly<Record<string, string>>
      }
      readonly spec: PodSpec
    }
    readonly jobTemplate?: {readonly spec: {readonly template: {readonly spec: PodSpec}}}
    readonly volumeClaimTemplates?: readonly {
      readonly metadata: {readonly labels: Readonly<Record<string, string>>}
      readonly spec: {readonly storageClassName?: string; readonly resources: object}
    }[]
  }
}

const WORKLOADS = ['Deployment', 'StatefulSet', 'DaemonSet']

export function ofKind(objects: readonly KubernetesObject[], ...kinds: string[]): KubernetesObject[] {
  return objects.filter(({kind}) => kinds.includes(kind))
}

export function workloads(objects: readonly KubernetesObject[]): KubernetesObject[] {
  return ofKind(objects, ...WORKLOADS)
}

/** The workloads of a service, without the one that reports its status. */
export function servers(objects: readonly KubernetesObject[]): KubernetesObject[] {
  return workloads(objects).filter(
    ({metadata}) => metadata.annotations?.['kk.openstack.org/service-status'] !== 'true',
  )
}

/** The only object of a kind whose name begins so. */
export function find(objects: readonly KubernetesObject[], kind: string, name: string): KubernetesObject {
  const found = objects.filter((object) => object.kind === kind && object.metadata.name.startsWith(name))
  if (found.length !== 1) throw new Error(`${found.length} objects ${kind} ${name}`)
  return found[0]!
}

/** Every pod of the objects, with what it is called for people. */
export function pods(objects: readonly KubernetesObject[]): {owner: string; spec: PodSpec}[] {
  return objects.flatMap(({kind, metadata, spec}) => {
    const pod = kind === 'Pod' ? (spec as unknown as PodSpec) : podOf(spec)
    return pod === undefined ? [] : [{owner: `${kind} ${metadata.name}`, spec: pod}]
  })
}

export function containers({spec}: {spec: PodSpec}): Container[] {
  return [...(spec.initContainers ?? []), ...spec.containers]
}

/** The value of a variable of a container, or `name/key` of the Secret that has it. */
export function variable(container: Container, name: string): string | undefined {
  const found = container.env?.find((entry) => entry.name === name)
  const reference = found?.valueFrom?.secretKeyRef
  return reference === undefined ? found?.value : `${reference.name}/${reference.key}`
}

/** What a Secret holds under a key. */
export function secret(objects: readonly KubernetesObject[], name: string, key: string): string {
  return Buffer.from(find(objects, 'Secret', name).data?.[key] ?? '', 'base64').toString()
}

function podOf(spec: KubernetesObject['spec']): PodSpec | undefined {
  return spec?.template?.spec ?? spec?.jobTemplate?.spec.template.spec
}
