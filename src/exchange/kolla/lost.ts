import type {ContainerFiles} from './container-config.ts'

/** Returns what of a container will not work in a pod as it does on kolla's machines, each as a sentence. */
export function lostOfContainer({config, texts, readOnly}: ContainerFiles): readonly string[] {
  return [
    ...config.permissions
      .filter(({path}) => isMounted(path, readOnly))
      .map(({path}) => `the owner of ${path} is left out: the chart mounts it to be read only`),
    ...foreignAddresses(config.command).map(({address}) => listens('the command', address)),
    ...[...texts].flatMap(([name, text]) =>
      foreignAddresses(text).map(({line, address}) => listens(`${name}:${line}`, address)),
    ),
  ]
}

const BETWEEN_HOSTS = 'it brings keys from host to host, and no pod needs them'
const OF_MACHINES =
  "the chart that does its work starts it by itself, without addresses and files of kolla's machines"
const IN_FRONT = 'Services of Kubernetes and an ingress do its work'
const LOGS = 'logs go where the cluster takes them from its nodes'

/** Containers of kolla's that have their like in kk, but not as a component that could take their files. */
const WITHOUT_COMPONENT: Readonly<Record<string, string>> = {
  ...{'keystone-fernet': BETWEEN_HOSTS, 'keystone-ssh': BETWEEN_HOSTS, 'nova-ssh': BETWEEN_HOSTS},
  ...{haproxy: IN_FRONT, keepalived: IN_FRONT, proxysql: IN_FRONT},
  ...{cron: LOGS, fluentd: LOGS},
  ...{'nova-libvirt': OF_MACHINES, 'openvswitch-db-server': OF_MACHINES},
  ...{'ovn-nb-db': OF_MACHINES, 'ovn-sb-db': OF_MACHINES, 'ovn-sb-db-relay': OF_MACHINES},
  'kolla-toolbox': 'kolla-ansible works from it; kk needs none',
}

/** Returns why a container of this name is carried over by no chart. */
export function whyWithout(container: string): string {
  const name = container.replaceAll('_', '-').replace(/-\d+$/, '')
  return WITHOUT_COMPONENT[name] ?? 'no chart has a component of this name'
}

/** Returns why no chart does the work of a container; undefined where one does, or where nothing is known of it. */
export function whyNothing(container: string): string | undefined {
  const why = WITHOUT_COMPONENT[container]
  return why === OF_MACHINES ? undefined : why
}

/** Returns true for a path that lies in one of these mounts. */
export function isMounted(path: string, mounts: readonly string[]): boolean {
  return mounts.some((mount) => `${path}/`.startsWith(`${mount}/`))
}

function listens(what: string, address: string): string {
  return `${what} listens at ${address}, which no pod has: set api_interface_address: 0.0.0.0 in globals.yml and generate it again`
}

/** Matches the address at which a server listens: options of oslo, uwsgi and MariaDB, Apache's directives, and memcached's command line. */
const LISTENS =
  /^\s*(?:(?:bind_host|bind-address|https?|https?-socket|socket)\s*=\s*|Listen\s+|\S*memcached\s.*\s-l\s+|<VirtualHost\s+)\[?([\da-f.:]*[\d:])\]?(?::\d+)?(?=[\s,>]|$)/i
/** Every pod has these. */
const OF_EVERY_POD = /^(?:0\.0\.0\.0|127\.[\d.]+|::1?|:?\d*)(?::\d+)?$/

interface ForeignAddress {
  /** 1-based. */
  readonly line: number
  readonly address: string
}

/** Returns where a file makes a server listen at the address of a machine, which no pod has. */
function foreignAddresses(text: string): readonly ForeignAddress[] {
  return text.split('\n').flatMap((line, at) => {
    const [, address] = LISTENS.exec(line) ?? []
    return address === undefined || OF_EVERY_POD.test(address) ? [] : [{line: at + 1, address}]
  })
}
