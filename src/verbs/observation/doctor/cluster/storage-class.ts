import type {KubernetesObject} from '../../../../cluster/cluster.ts'
import type {SeenStorageClass} from '../../../../cluster/diagnosis/diagnosis.ts'
import {type ReleaseId, releaseName} from '../../../../release.ts'
import type {Check, Found} from '../finding.ts'

/** Claims without a class get the default one: there must be one, and better not several. */
export const storageClassCheck: Check = {
  name: 'storage-class',
  needs: 'cluster',
  fine: 'there is one default storage class',
  async find({cluster, kubectl, rendered}) {
    const [classes, objects] = await Promise.all([cluster.diagnosis.storageClasses(), rendered()])
    return judgeStorageClasses(classes, classless(objects), kubectl)
  },
}

/** The releases that have claims which name no class. */
export function classless(
  rendered: ReadonlyMap<ReleaseId, readonly KubernetesObject[]>,
): readonly ReleaseId[] {
  return [...rendered].filter(([, objects]) => objects.some(hasClasslessClaim)).map(([release]) => release)
}

interface ClaimSpec {
  readonly storageClassName?: string | null
}

/** `storageClassName: ""` is a class: none is provided, and a volume of that kind is waited for. */
function hasClasslessClaim({kind, spec}: KubernetesObject): boolean {
  const isOpen = (claim: ClaimSpec | undefined) => (claim?.storageClassName ?? undefined) === undefined
  if (kind === 'PersistentVolumeClaim') return isOpen(spec as ClaimSpec)
  if (kind !== 'StatefulSet') return false
  const {volumeClaimTemplates = []} = spec as {readonly volumeClaimTemplates?: readonly {spec?: ClaimSpec}[]}
  return volumeClaimTemplates.some((template) => isOpen(template.spec))
}

export function judgeStorageClasses(
  classes: readonly SeenStorageClass[],
  users: readonly ReleaseId[],
  kubectl: string,
): readonly Found[] {
  const defaults = classes.filter(({isDefault}) => isDefault).map(({name}) => name)
  if (defaults.length === 1) return []
  const mark = (name: string, value: boolean) =>
    `${kubectl} annotate storageclass ${name} --overwrite storageclass.kubernetes.io/is-default-class=${value}`
  if (defaults.length > 1) {
    const [newest, ...older] = defaults
    const what = `${defaults.length} storage classes are the default (${defaults.join(', ')}): claims without a class get the newest, ${newest}`
    return [{level: 'warning', what, advice: mark(older.join(' '), false)}]
  }
  const [first] = classes
  const advice =
    first === undefined ? 'install a provisioner of volumes, with a storage class' : mark(first.name, true)
  if (users.length === 0) return [{level: 'info', what: 'no storage class is the default', advice}]
  const what = `no storage class is the default, but claims of ${users.map(releaseName).join(', ')} name none: their pods would wait for ever`
  return [{level: 'problem', what, advice}]
}
