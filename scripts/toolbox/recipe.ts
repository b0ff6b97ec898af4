import {createHash} from 'node:crypto'
import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import releases from '../../src/sandbox/programs/releases.json' with {type: 'json'}
import {NODE_TOOLS, TOOL_NAMES, type ToolboxLink, type ToolName} from '../../src/state/tools.ts'

const KUBERNETES = releases.kubernetes.version
const HELM_4 = releases.helm.version
const HELM_3 = 'v3.21.4'
const HELMFILE = 'v1.8.0'
const SOPS = 'v3.13.3'
const AGE = 'v1.3.1'

/** The programs of the module `toolbox/node`. */
const NODE_PROGRAMS = ['forwarder', 'provisioner', 'pause'] as const

/** A set that is built, cached and found together. */
export interface Kit {
  /**
   * The link next to the toolboxes by which the binary of kk finds the newest; `exchange`, `identity` and
   * `former` are only for tests.
   */
  readonly link: ToolboxLink | 'exchange' | 'identity' | 'former'
  /** The duration from scratch, for display. */
  readonly takes: string
  readonly tools: readonly ToolName[]
  /** In this order; `root` is the directory of the Go modules. */
  readonly steps: (root: string) => readonly Step[]
  /** The files below `root` that are inputs. */
  readonly sources: readonly string[]
}

/** One run of Go that makes one binary, or a directory of files. */
export interface Step {
  readonly binary: string
  /** For display. */
  readonly title: string
  /** Arguments of `go`; it leaves `artifact` in the directory given by GOBIN or `-o`. */
  readonly argv: (directory: string) => readonly string[]
  /** Go's name of the binary. */
  readonly artifact: string
  /** The directory of the module, or undefined for one from the module proxy. */
  readonly module?: string
  /** The names of links to the binary; those in `LINKS` if omitted. */
  readonly links?: readonly string[]
}

/** The names under which kubebox is a component of Kubernetes; helm is for the shell of a sandbox. */
export const LINKS: Readonly<Record<string, readonly string[]>> = {
  kubebox: [
    'etcd',
    'kube-apiserver',
    'kube-controller-manager',
    'kube-scheduler',
    'kubelet',
    'kube-proxy',
    'kubectl',
    'kwok-kubelet',
    // For an earlier kk, which finds the newest toolbox by the same link.
    'kwok',
    'kwokctl',
  ],
  helm4: ['helm'],
}

/** The names under which formerbox is a component of Kubernetes. */
const FORMER_LINKS = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'kube-proxy',
] as const

/** Without the version a server reports v0.0.0-master, and charts with a kubeVersion fail. */
function kubernetesFlags(version: string): string {
  const [major, minor] = version.slice(1).split('.')
  const values = {gitVersion: version, gitMajor: major, gitMinor: minor}
  const flags = Object.entries(values).map(
    ([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`,
  )
  return ['-s -w', ...flags].join(' ')
}

const HELM_4_FLAGS = `-s -w -X helm.sh/helm/v4/internal/version.version=${HELM_4}`

// Helm 3 takes the Kubernetes version of `helm template` from its own flags, helm 4 from its modules.
const HELM_3_FLAGS = [
  '-s -w',
  `-X helm.sh/helm/v3/internal/version.version=${HELM_3}`,
  '-X helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor=1',
  '-X helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor=36',
].join(' ')

/** The throwaway cluster, and both helms. */
export const CLUSTER_KIT: Kit = {
  link: 'current',
  takes: 'about 8 minutes',
  tools: TOOL_NAMES,
  sources: ['go.mod', 'go.sum', 'hold.go', 'main.go'].map((file) => join('kubebox', file)),
  steps: (root) => [
    program({
      binary: 'kubebox',
      title: `kubebox (Kubernetes ${KUBERNETES}, etcd, kwok)`,
      module: join(root, 'kubebox'),
      flags: kubernetesFlags(KUBERNETES),
    }),
    install('helm4', `helm.sh/helm/v4/cmd/helm@${HELM_4}`, HELM_4_FLAGS),
    install('helm3', `helm.sh/helm/v3/cmd/helm@${HELM_3}`, HELM_3_FLAGS),
  ],
}

/**
 * The tools of the export formats, and the CustomResourceDefinitions of those that run in a cluster; only
 * tests need them.
 */
export const EXCHANGE_KIT: Kit = {
  link: 'exchange',
  takes: 'about 8 minutes',
  tools: [],
  sources: [
    ...['go.mod', 'go.sum'].map((file) => join('helmfile', file)),
    ...['go.mod', 'go.sum', 'main.go'].map((file) => join('crds', file)),
  ],
  steps: (root) => [
    {
      binary: 'crds',
      title: 'definitions of Flux, Argo and the Prometheus operator',
      artifact: 'crds',
      module: join(root, 'crds'),
      argv: (directory) => ['run', '.', join(directory, 'crds')],
    },
    install('age-keygen', `filippo.io/age/cmd/age-keygen@${AGE}`, '-s -w'),
    install('sops', `github.com/getsops/sops/v3/cmd/sops@${SOPS}`, '-s -w'),
    program({
      binary: 'helmfile',
      title: `helmfile ${HELMFILE}`,
      module: join(root, 'helmfile'),
      source: 'github.com/helmfile/helmfile',
      flags: `-s -w -X go.szostok.io/version.version=${HELMFILE}`,
    }),
  ],
}

/** The issuer of OpenID Connect; only tests of logins need it. */
export const IDENTITY_KIT: Kit = {
  link: 'identity',
  takes: 'about 3 minutes',
  tools: [],
  sources: ['go.mod', 'go.sum', 'main.go'].map((file) => join('dex', file)),
  steps: (root) => [program({binary: 'dex', title: 'dex', module: join(root, 'dex'), flags: '-s -w'})],
}

/** The version of Kubernetes before that of the cluster's toolbox, as in `formerbox/go.mod`. */
export const FORMER_KUBERNETES = 'v1.35.4'

/** The former minor version of Kubernetes; only the test of an upgrade of Kubernetes needs it. */
export const FORMER_KIT: Kit = {
  link: 'former',
  takes: 'about 6 minutes',
  tools: FORMER_LINKS,
  sources: ['go.mod', 'go.sum', 'main.go'].map((file) => join('formerbox', file)),
  steps: (root) => [
    {
      ...program({
        binary: 'formerbox',
        title: `formerbox (Kubernetes ${FORMER_KUBERNETES})`,
        module: join(root, 'formerbox'),
        flags: kubernetesFlags(FORMER_KUBERNETES),
      }),
      links: FORMER_LINKS,
    },
  ],
}

/** What the all-in-one node needs in addition; separate, because a sandbox needs none of it. */
export const NODE_KIT: Kit = {
  link: 'node',
  takes: 'about 5 minutes',
  tools: NODE_TOOLS,
  sources: [
    ...['go.mod', 'go.sum', 'main.go'].map((file) => join('coredns', file)),
    ...['go.mod', 'go.sum'].map((file) => join('node', file)),
    ...NODE_PROGRAMS.map((name) => join('node/cmd', name, 'main.go')),
  ],
  steps: (root) => [
    program({binary: 'coredns', title: 'CoreDNS', module: join(root, 'coredns'), flags: '-s -w'}),
    ...NODE_PROGRAMS.map((binary) =>
      program({binary, title: binary, module: join(root, 'node'), source: `./cmd/${binary}`, flags: '-s -w'}),
    ),
  ],
}

interface Program {
  readonly binary: string
  readonly title: string
  readonly module: string
  /** The package inside the module; by default the module itself. */
  readonly source?: string
  readonly flags: string
}

function program({binary, title, module, source, flags}: Program): Step {
  return {
    binary,
    title,
    module,
    artifact: binary,
    argv: (directory) => [
      'build',
      '-trimpath',
      '-ldflags',
      flags,
      '-o',
      join(directory, binary),
      ...(source === undefined ? [] : [source]),
    ],
  }
}

/** A program of the module proxy; Go calls it by the last part of its path. */
function install(binary: string, source: string, flags: string): Step {
  return {
    binary,
    title: source,
    artifact: source.slice(source.lastIndexOf('/') + 1, source.lastIndexOf('@')),
    argv: () => ['install', '-trimpath', '-ldflags', flags, source],
  }
}

/** The same key for the same inputs: sources, flags, versions, the Go that builds and the platform. */
export async function recipeKey(kit: Kit, root: string, goVersion: string): Promise<string> {
  const hash = createHash('sha256')
  for (const file of kit.sources) hash.update(await readFile(join(root, file)))
  const argv = kit.steps('').map((step) => [step.binary, ...step.argv('')])
  hash.update(JSON.stringify([argv, LINKS, goVersion, process.platform, process.arch]))
  return hash.digest('hex').slice(0, 16)
}
