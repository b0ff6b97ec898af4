import {dig, digMaps, digText} from '../dig.ts'
import type {StatedWant, Waiting} from './stated-want.ts'

/** Objects that an object uses by name, and without which its pods do not start. */
export function referenceWants(waiting: Waiting): readonly StatedWant[] {
  return [...podReferences(waiting), ...classReferences(waiting)].filter(
    ({target}) => target.what === 'object' && !isGiven(target.kind, target.name),
  )
}

/** What every namespace, or every cluster, has. */
function isGiven(kind: string, name: string): boolean {
  if (kind === 'ServiceAccount') return name === 'default'
  if (kind === 'ConfigMap') return name === 'kube-root-ca.crt'
  return kind === 'PriorityClass' && name.startsWith('system-')
}

function podReferences({template, containers}: Waiting): readonly StatedWant[] {
  if (!template) return []
  const {spec} = template
  return [
    ...containers.flatMap(({container, title}) => variableReferences(container, title)),
    ...digMaps(spec, 'volumes').flatMap(volumeReferences),
    ...wanted('ServiceAccount', digText(spec, 'serviceAccountName'), 'runs as'),
    ...wanted('PriorityClass', digText(spec, 'priorityClassName'), 'uses'),
    ...wanted('RuntimeClass', digText(spec, 'runtimeClassName'), 'uses'),
  ]
}

function variableReferences(container: object, title: string): readonly StatedWant[] {
  const reads = `${title} reads`
  const keys = digMaps(container, 'env').flatMap((each) => [
    ...required('Secret', dig(each, 'valueFrom', 'secretKeyRef'), reads),
    ...required('ConfigMap', dig(each, 'valueFrom', 'configMapKeyRef'), reads),
  ])
  const whole = digMaps(container, 'envFrom').flatMap((each) => [
    ...required('Secret', dig(each, 'secretRef'), reads),
    ...required('ConfigMap', dig(each, 'configMapRef'), reads),
  ])
  return [...keys, ...whole]
}

function volumeReferences(volume: object): readonly StatedWant[] {
  return [
    ...required('Secret', dig(volume, 'secret'), 'mounts', 'secretName'),
    ...required('ConfigMap', dig(volume, 'configMap'), 'mounts'),
    ...required('PersistentVolumeClaim', dig(volume, 'persistentVolumeClaim'), 'mounts', 'claimName'),
    ...digMaps(volume, 'projected', 'sources').flatMap((source) => [
      ...required('Secret', dig(source, 'secret'), 'mounts'),
      ...required('ConfigMap', dig(source, 'configMap'), 'mounts'),
    ]),
  ]
}

/** Classes are facts of a cluster: a chart that makes one goes first, but nothing is missing without. */
function classReferences({object}: Waiting): readonly StatedWant[] {
  const claims = [
    ...digMaps(object, 'spec', 'volumeClaimTemplates'),
    ...(object.kind === 'PersistentVolumeClaim' ? [object] : []),
  ]
  const ingress = object.kind === 'Ingress' ? digText(object, 'spec', 'ingressClassName') : undefined
  return [
    ...claims.flatMap((claim) =>
      wanted('StorageClass', digText(claim, 'spec', 'storageClassName'), 'uses', 'soft'),
    ),
    ...wanted('IngressClass', ingress, 'uses', 'soft'),
  ]
}

function required(kind: string, reference: unknown, verb: string, key = 'name'): readonly StatedWant[] {
  return dig(reference, 'optional') === true ? [] : wanted(kind, digText(reference, key), verb)
}

function wanted(
  kind: string,
  name: string | undefined,
  verb: string,
  strength: StatedWant['kind'] = 'applied',
): readonly StatedWant[] {
  if (name === undefined) return []
  return [{kind: strength, target: {what: 'object', kind, name}, text: `${verb} ${kind}/${name}`}]
}
