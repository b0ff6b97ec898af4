import type {ContainerFiles} from './container-config.ts'

/** Returns one sentence per thing of a container that works differently in a pod than on kolla's hosts. */
export function containerLosses({config, texts, readOnly}: ContainerFiles): readonly string[] {
  return [
    ...config.permissions
      .filter(({path}) => isMounted(path, readOnly))
      .map(({path}) => `the owner of ${path} is omitted: the chart mounts it read-only`),
    ...foreignAddresses(config.command).map(({address}) => foreignAddressLoss('the command', address)),
    ...[...texts].flatMap(([name, text]) =>
      foreignAddresses(text).map(({line, address}) => foreignAddressLoss(`${name}:${line}`, address)),
    ),
  ]
}

const BETWEEN_HOSTS = 'it distributes keys between hosts, which no pod needs'
const REPLACED_BY_CHART = "the chart that replaces it starts it without addresses and files of kolla's hosts"
const IN_FRONT = 'Kubernetes Services and an ingress replace it'
const LOGS = 'the cluster collects the logs of its nodes'

/** Containers of kolla that have an equivalent in kk, but not as a component that accepts their files. */
const WITHOUT_COMPONENT: Readonly<Record<string, string>> = {
  ...{'keystone-fernet': BETWEEN_HOSTS, 'keystone-ssh': BETWEEN_HOSTS, 'nova-ssh': BETWEEN_HOSTS},
  ...{haproxy: IN_FRONT, keepalived: IN_FRONT, proxysql: IN_FRONT},
  ...{cron: LOGS, fluentd: LOGS},
  ...{'nova-libvirt': REPLACED_BY_CHART, 'openvswitch-db-server': REPLACED_BY_CHART},
  ...{'ovn-nb-db': REPLACED_BY_CHART, 'ovn-sb-db': REPLACED_BY_CHART, 'ovn-sb-db-relay': REPLACED_BY_CHART},
  'kolla-toolbox': 'only kolla-ansible needs it',
}

/** Returns why no chart takes over a container of this name. */
export function whyWithout(container: string): string {
  const name = container.replaceAll('_', '-').replace(/-\d+$/, '')
  return WITHOUT_COMPONENT[name] ?? 'no chart has a component of this name'
}

/** Returns why no chart replaces a container; undefined if one does, or if the container is unknown. */
export function whyNothing(container: string): string | undefined {
  const why = WITHOUT_COMPONENT[container]
  return why === REPLACED_BY_CHART ? undefined : why
}

/** Returns true if a path is in one of these mounts. */
export function isMounted(path: string, mounts: readonly string[]): boolean {
  return mounts.some((mount) => `${path}/`.startsWith(`${mount}/`))
}

function foreignAddressLoss(what: string, address: string): string {
  return `${what} listens at ${address}, which no pod has: set api_interface_address: 0.0.0.0 in globals.yml and regenerate it`
}

/**
 * Matches a server's listen address: options of oslo, uwsgi and MariaDB, Apache directives, and memcached's
 * command line.
 */
const LISTENS =
  /^\s*(?:(?:bind_host|bind-address|https?|https?-socket|socket)\s*=\s*|Listen\s+|\S*memcached\s.*\s-l\s+|<VirtualHost\s+)\[?([\da-f.:]*[\d:])\]?(?::\d+)?(?=[\s,>]|$)/i
/** Addresses that every pod has. */
const EVERY_POD = /^(?:0\.0\.0\.0|127\.[\d.]+|::1?|:?\d*)(?::\d+)?$/

interface ForeignAddress {
  /** 1-based. */
  readonly line: number
  readonly address: string
}

/** Returns the lines of a file that make a server listen on the address of a host, which pods do not have. */
function foreignAddresses(text: string): readonly ForeignAddress[] {
  return text.split('\n').flatMap((line, at) => {
    const [, address] = LISTENS.exec(line) ?? []
    return address === undefined || EVERY_POD.test(address) ? [] : [{line: at + 1, address}]
  })
}
