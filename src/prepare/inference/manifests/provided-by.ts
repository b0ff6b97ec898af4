import {dig, digMaps, digText} from '../../../base/dig.ts'
import {type Provided, type ProvidedObject, wordDigest} from '../../../graph/inference/facts.ts'
import {isBuiltIn} from '../../../kubernetes/inventory/custom-kinds.ts'
import type {RenderedObject} from '../../../kubernetes/manifest/manifest.ts'
import {containersOf, literalVariables, podTemplate} from '../../../kubernetes/manifest/pods.ts'

const NAME_VARIABLE = /SECRET|KEYRING|CONFIG_?MAP/
const NAME_FLAG = /--[\w-]*(?:secret|configmap)[\w-]*[= ]([a-z0-9][a-z0-9.-]*)/g

/**
 * Returns what these objects provide. `namespace` is the namespace of the release; it is omitted from objects
 * in it.
 */
export function providedBy(rendered: readonly RenderedObject[], namespace: string): Provided {
  const otherNamespace = (target: string | undefined) =>
    target === undefined || target === namespace ? {} : {namespace: target}
  return {
    objects: rendered.flatMap((each) =>
      providedObjects(each).map(({in: at, ...rest}) => ({...rest, ...otherNamespace(at)})),
    ),
    pods: rendered.flatMap(({object}) => {
      const template = podTemplate(object)
      return template ? [{labels: template.labels, ...otherNamespace(object.metadata.namespace)}] : []
    }),
    kinds: rendered.flatMap(providedKinds),
    guarded: rendered.flatMap(guardedBy),
    madeByJobs: [...new Set(rendered.flatMap(namesMadeByJobs))].map(wordDigest),
  }
}

function providedObjects({
  object,
  file,
}: RenderedObject): readonly (ProvidedObject & {readonly in: string | undefined})[] {
  const {apiVersion, kind, metadata} = object
  const self = {
    ...(!isBuiltIn(apiVersion) && {apiVersion}),
    kind,
    name: metadata.name,
    in: metadata.namespace,
    file,
  }
  if (kind === 'Service') {
    const ports = digMaps(object, 'spec', 'ports').map((port) => dig(port, 'port'))
    return [{...self, ports: ports.filter((port) => typeof port === 'number')}]
  }
  if (kind !== 'StatefulSet') return [self]
  const claims = digMaps(object, 'spec', 'volumeClaimTemplates').flatMap((claim) => {
    const name = digText(claim, 'metadata', 'name')
    return name === undefined ? [] : [{...self, kind: 'PersistentVolumeClaim', name}]
  })
  return [self, ...claims]
}

function providedKinds({object}: RenderedObject): Provided['kinds'] {
  if (object.kind !== 'CustomResourceDefinition') return []
  const group = digText(object, 'spec', 'group') ?? ''
  const kind = digText(object, 'spec', 'names', 'kind') ?? ''
  const plural = digText(object, 'spec', 'names', 'plural') ?? ''
  const versions = digMaps(object, 'spec', 'versions')
    .filter((each) => dig(each, 'served') !== false)
    .flatMap((each) => digText(each, 'name') ?? [])
  return [{group, kind, plural, versions}]
}

function guardedBy({object}: RenderedObject): Provided['guarded'] {
  if (!/^(Validating|Mutating)WebhookConfiguration$/.test(object.kind)) return []
  const closed = digMaps(object, 'webhooks').filter((hook) => dig(hook, 'failurePolicy') !== 'Ignore')
  const rules = closed.flatMap((hook) => digMaps(hook, 'rules'))
  return rules.flatMap((rule) =>
    textsAt(rule, 'apiGroups').flatMap((group) =>
      textsAt(rule, 'resources').map((resource) => ({group, resource})),
    ),
  )
}

/**
 * Returns the objects that a Job creates: their names are in variables such as KUBE_SECRET_NAME or in
 * --secret-name=….
 */
function namesMadeByJobs({object}: RenderedObject): readonly string[] {
  const template = object.kind === 'Job' ? podTemplate(object) : undefined
  if (!template) return []
  return containersOf(template)
    .filter(({isInit}) => !isInit)
    .flatMap(({container}) => {
      const namedVariables = [...literalVariables(container)].filter(([name]) => NAME_VARIABLE.test(name))
      const words = [...textsAt(container, 'command'), ...textsAt(container, 'args')].join(' ')
      const names = namedVariables
        .map(([, value]) => value)
        .filter((value) => /^[a-z0-9][a-z0-9.-]*$/.test(value))
      return [...names, ...Array.from(words.matchAll(NAME_FLAG), ([, name]) => name!)]
    })
}

function textsAt(tree: unknown, key: string): readonly string[] {
  const list = dig(tree, key)
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : []
}
