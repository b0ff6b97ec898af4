import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {command, succeeds} from '../host/command.ts'
import type {LocalNode} from '../local-node.ts'
import {BRIDGE, PODS, REGISTRY, REGISTRY_FOR_PODS} from '../network.ts'
import type {NodePaths} from '../paths.ts'
import {PAUSE_IMAGE, pauseImage} from '../pause-image.ts'
import {waitUntil} from '../wait.ts'
import type {Part} from './part.ts'
import {startPart} from './start-part.ts'

/** The plugin directory of Debian's package containernetworking-plugins. */
export const CNI_PLUGINS = '/usr/lib/cni'

/** The name of the pod network, which identifies the iptables rules and files of its plugins. */
const NETWORK_NAME = 'kk-aio'

/**
 * Returns containerd with runc, in the node's namespaces. It runs CNI plugins and pulls from the registry.
 */
function containerd(node: LocalNode): Part {
  const {paths} = node
  const config = join(paths.etc, 'containerd.toml')
  const cni = join(paths.etc, 'cni')
  const certificates = join(paths.etc, 'registries')
  return {
    argv: node.containerd(['containerd', '--config', config]),
    directories: [join(paths.directory, 'host-local')],
    files: {
      [config]: containerdConfig(paths, {cni, certificates}),
      [join(cni, '10-kk.conflist')]: JSON.stringify(network(node), undefined, 2),
      [join(certificates, REGISTRY, 'hosts.toml')]: registryHost(node),
      [join(certificates, REGISTRY_FOR_PODS, 'hosts.toml')]: registryHost(node),
    },
  }
}

function containerdConfig(
  paths: NodePaths,
  {cni, certificates}: {readonly cni: string; readonly certificates: string},
): string {
  const text = (value: string) => JSON.stringify(value)
  const below = (name: string) => text(join(paths.directory, name))
  return `version = 2
root = ${below('containerd')}
state = ${below('containerd-state')}
disabled_plugins = [
  "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs", "io.containerd.tracing.processor.v1.otlp", "io.containerd.internal.v1.tracing",
]

[grpc]
address = ${text(paths.containerdSocket)}

[plugins."io.containerd.internal.v1.opt"]
path = ${below('containerd-opt')}

[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = ${text(PAUSE_IMAGE)}
stream_server_address = "127.0.0.1"
# A machine that is itself a container may not lower the score.
restrict_oom_score_adj = true
enable_unprivileged_ports = true

[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = ${text(CNI_PLUGINS)}
conf_dir = ${text(cni)}

[plugins."io.containerd.grpc.v1.cri".registry]
config_path = ${text(certificates)}

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
SystemdCgroup = false
`
}

function registryHost({registry}: LocalNode): string {
  return `server = "http://${registry}"

[host."http://${registry}"]
capabilities = ["pull", "resolve"]
`
}

function network({paths, pods}: LocalNode): object {
  return {
    cniVersion: '0.4.0',
    name: NETWORK_NAME,
    plugins: [
      {
        type: 'bridge',
        bridge: BRIDGE,
        isGateway: true,
        // Lets a pod reach itself through its own Service.
        hairpinMode: true,
        ipam: {
          type: 'host-local',
          dataDir: join(paths.directory, 'host-local'),
          ranges: [[{subnet: PODS, ...pods}]],
          routes: [{dst: '0.0.0.0/0'}],
        },
      },
      {type: 'portmap', capabilities: {portMappings: true}, snat: true},
    ],
  }
}

/** Returns the beginning of a command to a node's containerd about what its kubelet sees. */
export function ctr({paths}: LocalNode): readonly string[] {
  return ['ctr', '--address', paths.containerdSocket, '--namespace', 'k8s.io']
}

/** Starts containerd and imports the pause image. */
export async function startContainerd(node: LocalNode, pause: string, signal?: AbortSignal): Promise<void> {
  const {paths} = node
  await startPart(paths, 'containerd', containerd(node))
  const wait = {part: 'containerd', until: 'it responds', signal}
  await waitUntil(paths, wait, () => succeeds([...ctr(node), 'version']))

  const archive = join(paths.directory, 'pause.tar')
  await writeFile(archive, await pauseImage(pause))
  await command([...ctr(node), 'images', 'import', archive])
}
