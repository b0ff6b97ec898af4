import {OLDEST_KUBERNETES} from '../../kubernetes/api/identity.ts'
import {DEPLOYMENTS} from '../../kubernetes/api/resources.ts'
import {BINDINGS, POLICIES} from '../../kubernetes/guard/names.ts'
import {KK_NAMESPACE} from '../../kubernetes/lease/lease.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {chartsRoleName} from '../../kubernetes/permissions/account.ts'
import {canonicalJson} from '../../plan/digest.ts'
import {dumpYaml} from '../../yaml/dump.ts'
import {type InstallOptions, isOfCluster, operatorObjects} from './install.ts'
import {CHILD_NAME, NAME, ONE, SHAPE} from './shape.ts'

/** Stand for values of the chart in what is made by the installation. */
const IMAGE = 'kk-image-of-the-values'
const HOME = 'kk-namespace-of-the-values'
const SHARD = 'kk-shard-of-the-values'

/** The roles of what charts have for the whole cluster. */
const ACCOUNTS_CHARTS = new Set([NAME, CHILD_NAME].map(chartsRoleName))

/** The condition under which a cluster knows the policies. */
const HAS_POLICIES = `.Capabilities.APIVersions.Has "${POLICIES.apiVersion}/${POLICIES.kind}"`

/**
 * Returns the files of a Helm chart, by their paths, with the objects of the installation but its kinds and namespaces:
 * helm would take kinds away with the release, and every Environment with them. The options become its default values.
 */
export function operatorChart({
  version,
  image,
  namespaces,
  removes = false,
  makesOfCluster = false,
  shape: {shape, shards} = ONE,
}: InstallOptions): Readonly<Record<string, string>> {
  const manifest = {
    apiVersion: 'v2',
    name: 'kk-operator',
    description: 'kk in the cluster: keeps environments of OpenStack as their files say',
    type: 'application',
    version,
    appVersion: version,
    kubeVersion: `>=${OLDEST_KUBERNETES}.0-0`,
  }
  return {
    'Chart.yaml': dumpYaml(manifest),
    'values.yaml': `${VALUES_HEAD}${dumpYaml({image, namespaces, removal: removes, clusterObjects: makesOfCluster, shape, shards})}`,
    'templates/operator.yaml': template(),
    'templates/NOTES.txt': NOTES,
  }
}

const VALUES_HEAD = `# image: of kk, with helm in it. namespaces: those in which it may deploy; they must exist.
# removal: whether it may remove what an approved plan says; for that it may read the Secrets of all namespaces.
# clusterObjects: whether it may make the objects of the whole cluster that kk's own charts have.
# shape: one process that does all (one), or one that plans and one for each of shards (per-service, per-component): charts,
# and of per-component also sections and releases. Chosen for good.
`

const NOTES = `The kinds of the operator are not part of this chart. Apply them, and apply them again after each upgrade:

  kk operator install --kinds
`

function template(): string {
  const made = (removes: boolean, shape = ONE) =>
    operatorObjects({
      ...{version: '', image: IMAGE, namespaces: [HOME], removes, makesOfCluster: true, shape},
    }).filter(isOfCluster)
  const [plain, removing] = [made(false), new Map(made(true).map((each) => [keyOf(each), each]))]
  const ones = new Map(plain.map((each) => [keyOf(each), each]))
  const shared = made(false, {shape: 'per-service', shards: [SHARD]})
  const documents = shared.map((object) => {
    const one = ones.get(keyOf(object))
    if (!one) return `{{- if ne .Values.shape "one" }}\n${document(object)}{{- end }}\n`
    const other = removing.get(keyOf(object))!
    const text = variant('.Values.removal', document(other), document(one))
    return isSame(one, object) ? text : variant('ne .Values.shape "one"', document(object), text)
  })
  return `${GUARD}${documents.join('')}`
}

/** Refuses another shape than that which is there, as the command does. */
const GUARD = `{{- $found := lookup "${DEPLOYMENTS.apiVersion}" "${DEPLOYMENTS.kind}" "${KK_NAMESPACE}" "${NAME}" }}
{{- if $found }}
{{- $shape := dig "metadata" "annotations" "${SHAPE}" "${ONE.shape}" $found }}
{{- if ne $shape .Values.shape }}
{{- fail (printf "the operator is installed in the shape %s; docs/operators.md tells how it is moved to another" $shape) }}
{{- end }}
{{- end }}
`

function keyOf({kind, metadata: {namespace = '', name}}: KubernetesObject): string {
  return `${kind} ${namespace}/${name}`
}

function isSame(a: KubernetesObject, b: KubernetesObject): boolean {
  return canonicalJson(a) === canonicalJson(b)
}

function variant(condition: string, yes: string, no: string): string {
  return yes === no ? no : `{{- if ${condition} }}\n${yes}{{- else }}\n${no}{{- end }}\n`
}

/** One object; for each namespace, or for each shard, where it is of one. */
function document(object: KubernetesObject): string {
  const text = textOf(object)
  const {kind, metadata} = object
  if (metadata.namespace === HOME) return `{{- range $.Values.namespaces }}\n${text}{{- end }}\n`
  if (metadata.name.includes(SHARD)) return `{{- range $.Values.shards }}\n${text}{{- end }}\n`
  if (ACCOUNTS_CHARTS.has(metadata.name)) return `{{- if .Values.clusterObjects }}\n${text}{{- end }}\n`
  const isPolicy = kind === POLICIES.kind || kind === BINDINGS.kind
  return isPolicy ? `{{- if ${HAS_POLICIES} }}\n${text}{{- end }}\n` : text
}

/** The words of a parent that name a shard. */
const NAMED_SHARD = new RegExp(`^( *)- --shards\\n *- ${SHARD}\\n`, 'm')

function textOf(object: KubernetesObject): string {
  const yaml = dumpYaml(object)
  const isChild = object.metadata.name.includes(SHARD)
  const ranged = isChild
    ? yaml
    : yaml.replace(
        NAMED_SHARD,
        '$1{{- range $.Values.shards }}\n$1- --shards\n$1- {{ . | quote }}\n$1{{- end }}\n',
      )
  const text = ranged
    .replaceAll(IMAGE, '{{ $.Values.image | quote }}')
    .replaceAll(HOME, '{{ . | quote }}')
    .replaceAll(SHARD, '{{ . }}')
    .replaceAll(`${SHAPE}: per-service`, `${SHAPE}: {{ $.Values.shape }}`)
  return `---\n${text}`
}
