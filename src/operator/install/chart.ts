import {readdir, readFile} from 'node:fs/promises'
import {join, relative} from 'node:path'
import type {ReleaseCall} from '../../helm/helm.ts'
import {OLDEST_KUBERNETES} from '../../kubernetes/api/identity.ts'
import {KK_NAMESPACE} from '../../kubernetes/lease/lease.ts'
import {accountRules, chartsRules} from '../../kubernetes/permissions/account.ts'
import {
  CHILD_ROLES,
  NODE_OPERATION_ROLES,
  OPERATOR_ROLES,
  removalRules,
  withRemoval,
} from '../../kubernetes/permissions/roles.ts'
import {temporaryDirectory} from '../../state/files/temporary-directory.ts'
import {writeAtomically} from '../../state/files/write-atomically.ts'
import {dumpYaml} from '../../yaml/dump.ts'
import {NAME, type Shape, UNSHARDED} from './shape.ts'

export interface InstallOptions {
  /** The version of this kk. */
  readonly version: string
  /** The image of kk, with helm in it. */
  readonly image: string
  /** The namespaces that it can deploy to. */
  readonly namespaces: readonly string[]
  /**
   * Whether it can remove releases by approved plans, for which it reads the Helm records of all namespaces.
   */
  readonly removes?: boolean
  /** Whether it can create the cluster-scoped objects of kk's own charts. */
  readonly makesOfCluster?: boolean
  /** Whether it carries out NodeOperations: it can then change nodes, and evict pods in all namespaces. */
  readonly changesNodes?: boolean
  /** Its processes; a single one by default. */
  readonly shape?: Shape
}

/** The files of the chart, below the root directory of kk. */
const FILES = 'src/operator/install/chart'

/**
 * Writes the Helm chart of the operator, without CRDs and namespaces: helm would delete the CRDs with the
 * release, and thus every Environment. The options become its default values.
 */
export async function writeChart(directory: string, root: string, options: InstallOptions): Promise<void> {
  const {version} = options
  const generated: Readonly<Record<string, object>> = {
    'Chart.yaml': {version, appVersion: version, kubeVersion: `>=${OLDEST_KUBERNETES}.0-0`},
    'values.yaml': chartValues(options),
    'rules.yaml': {
      operator: accountRules(OPERATOR_ROLES),
      removing: accountRules(withRemoval(OPERATOR_ROLES), removalRules()),
      nodes: accountRules(NODE_OPERATION_ROLES),
      child: accountRules(CHILD_ROLES),
      charts: chartsRules(),
    },
  }
  const files = join(root, FILES)
  const entries = await readdir(files, {recursive: true, withFileTypes: true})
  const paths = entries
    .filter((each) => each.isFile())
    .map(({parentPath, name}) => relative(files, join(parentPath, name)))
  for (const path of new Set([...paths, ...Object.keys(generated)])) {
    const text = paths.includes(path) ? await readFile(join(files, path), 'utf8') : ''
    await writeAtomically(join(directory, path), text + (generated[path] ? dumpYaml(generated[path]) : ''))
  }
}

/**
 * Calls `use` with the Helm release of the operator; its chart is in a directory that is removed afterwards.
 */
export async function withChart<T>(
  root: string,
  options: InstallOptions,
  use: (call: ReleaseCall) => Promise<T>,
): Promise<T> {
  const directory = await temporaryDirectory('kk-operator-')
  try {
    await directory.fill(() => writeChart(directory.path, root, options))
    const values = chartValues(options)
    return await use({name: NAME, namespace: KK_NAMESPACE, chart: directory.path, values})
  } finally {
    await directory.remove()
  }
}

function chartValues({
  image,
  namespaces,
  removes = false,
  makesOfCluster = false,
  changesNodes = false,
  shape: {shape, shards} = UNSHARDED,
}: InstallOptions) {
  return {
    ...{image, namespaces, removal: removes, nodeOperations: changesNodes},
    ...{clusterObjects: makesOfCluster, shape, shards},
  }
}
