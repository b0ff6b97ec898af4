import {createHash} from 'node:crypto'
import {readFile} from 'node:fs/promises'
import {join} from 'node:path'

const KUBERNETES = 'v1.36.3'
const HELM_4 = 'v4.2.4'
const HELM_3 = 'v3.21.4'

/** One run of Go that makes one binary. */
export interface Step {
  readonly binary: string
  /** For people. */
  readonly title: string
  /** Arguments of `go`; it leaves `artifact` in the directory given by GOBIN or `-o`. */
  readonly argv: (directory: string) => readonly string[]
  /** What Go calls the binary. */
  readonly artifact: string
  /** The directory of the module, or undefined for one from the module proxy. */
  readonly module?: string
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
    'kwok',
    'kwok-controller',
    'kwokctl',
  ],
  helm4: ['helm'],
}

// Without the version a server says v0.0.0-master, and charts that ask for a kubeVersion fail.
const KUBEBOX_FLAGS = [
  '-s -w',
  `-X k8s.io/component-base/version.gitVersion=${KUBERNETES}`,
  ...KUBERNETES.slice(1)
    .split('.')
    .slice(0, 2)
    .map((part, index) => `-X k8s.io/component-base/version.${['gitMajor', 'gitMinor'][index]}=${part}`),
].join(' ')

const HELM_4_FLAGS = `-s -w -X helm.sh/helm/v4/internal/version.version=${HELM_4}`

// Helm 3 takes the Kubernetes version of `helm template` from its own flags, helm 4 from its modules.
const HELM_3_FLAGS = [
  '-s -w',
  `-X helm.sh/helm/v3/internal/version.version=${HELM_3}`,
  '-X helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor=1',
  '-X helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor=36',
].join(' ')

/** What is built, in this order. `root` is the directory of the Go modules. */
export function steps(root: string): readonly Step[] {
  return [
    {
      binary: 'kubebox',
      title: `kubebox (Kubernetes ${KUBERNETES}, etcd, kwok)`,
      module: join(root, 'kubebox'),
      artifact: 'kubebox',
      argv: (directory) => [
        'build',
        '-trimpath',
        '-ldflags',
        KUBEBOX_FLAGS,
        '-o',
        join(directory, 'kubebox'),
      ],
    },
    helm('helm4', `helm.sh/helm/v4/cmd/helm@${HELM_4}`, HELM_4_FLAGS),
    helm('helm3', `helm.sh/helm/v3/cmd/helm@${HELM_3}`, HELM_3_FLAGS),
  ]
}

function helm(binary: string, source: string, flags: string): Step {
  return {
    binary,
    title: source,
    artifact: 'helm',
    argv: () => ['install', '-trimpath', '-ldflags', flags, source],
  }
}

/** The same key for the same inputs: sources, flags, versions, the Go that builds and the platform. */
export async function recipeKey(root: string, goVersion: string): Promise<string> {
  const hash = createHash('sha256')
  for (const file of ['go.mod', 'go.sum', 'main.go']) hash.update(await readFile(join(root, 'kubebox', file)))
  const argv = steps('').map((step) => [step.binary, ...step.argv('')])
  hash.update(JSON.stringify([argv, LINKS, goVersion, process.platform, process.arch]))
  return hash.digest('hex').slice(0, 16)
}
