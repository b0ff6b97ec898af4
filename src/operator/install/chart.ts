import {dump} from 'js-yaml'
import {OLDEST_KUBERNETES} from '../../cluster/api/identity.ts'
import type {KubernetesObject} from '../../cluster/cluster.ts'
import {BINDINGS, POLICIES} from '../../cluster/guard/names.ts'
import {canonicalJson} from '../../plan/digest.ts'
import {type InstallOptions, isOfCluster, operatorObjects} from './install.ts'

/** Stand for values of the chart in what is made by the installation. */
const IMAGE = 'kk-image-of-the-values'
const HOME = 'kk-namespace-of-the-values'

/** The condition under which a cluster knows the policies. */
const HAS_POLICIES = `.Capabilities.APIVersions.Has "${POLICIES.apiVersion}/${POLICIES.kind}"`

/**
 * Returns the files of a Helm chart, by their paths, with the objects of the installation but its kinds and namespaces:
 * helm would take kinds away with the release, and every Environment with them. The options become its default values.
 */
export function operatorChart(
  {image, namespaces, removes = false}: InstallOptions,
  version: string,
): Readonly<Record<string, string>> {
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
    'Chart.yaml': dump(manifest),
    'values.yaml': `${VALUES_HEAD}${dump({image, namespaces, removal: removes})}`,
    'templates/operator.yaml': template(),
    'templates/NOTES.txt': NOTES,
  }
}

const VALUES_HEAD = `# image: of kk, with helm in it. namespaces: those in which it may deploy; they must exist.
# removal: whether it may remove what an approved plan says; for that it may read the Secrets of all namespaces.
`

const NOTES = `The kinds of the operator are not part of this chart. Apply them, and apply them again after each upgrade:

  kk operator install --kinds
`

function template(): string {
  const of = (removes: boolean) => operatorObjects({image: IMAGE, namespaces: [HOME], removes})
  const removing = of(true)
  return of(false)
    .map((object, index) => [object, removing[index]!] as const)
    .filter(([object]) => isOfCluster(object))
    .map(([plain, other]) => document(plain, other))
    .join('')
}

/** One object; where a removal needs other rights, as two of which one is rendered. */
function document(plain: KubernetesObject, removing: KubernetesObject): string {
  const isSame = canonicalJson(plain) === canonicalJson(removing)
  const text = isSame
    ? textOf(plain)
    : `{{- if $.Values.removal }}\n${textOf(removing)}{{- else }}\n${textOf(plain)}{{- end }}\n`
  if (plain.metadata.namespace === HOME) return `{{- range $.Values.namespaces }}\n${text}{{- end }}\n`
  const isPolicy = plain.kind === POLICIES.kind || plain.kind === BINDINGS.kind
  return isPolicy ? `{{- if ${HAS_POLICIES} }}\n${text}{{- end }}\n` : text
}

function textOf(object: KubernetesObject): string {
  const yaml = dump(object, {lineWidth: -1, noRefs: true})
  return `---\n${yaml.replaceAll(IMAGE, '{{ $.Values.image | quote }}').replaceAll(HOME, '{{ . | quote }}')}`
}
