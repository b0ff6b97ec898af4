import {join} from 'node:path'
import {isExecutable} from '../../../state/files/is-executable.ts'
import {onPath} from '../../../state/files/on-path.ts'
import {SYSTEM_PATH} from '../host/command.ts'
import {CNI_PLUGINS} from '../parts/containerd.ts'
import type {Finding} from './finding.ts'

/** The programs that the node runs, by Debian package. */
export const NODE_PROGRAMS: readonly {readonly name: string; readonly programs: readonly string[]}[] = [
  {name: 'containerd', programs: ['containerd', 'ctr', 'containerd-shim-runc-v2']},
  {name: 'runc', programs: ['runc']},
  {
    name: 'containernetworking-plugins',
    programs: ['bridge', 'host-local', 'loopback', 'portmap'].map((plugin) => join(CNI_PLUGINS, plugin)),
  },
  {
    name: 'iptables',
    programs: ['iptables', 'ip6tables'].flatMap((family) => [family, `${family}-save`, `${family}-restore`]),
  },
  {name: 'conntrack', programs: ['conntrack']},
  {name: 'docker-registry', programs: ['docker-registry']},
  {name: 'iproute2', programs: ['ip']},
  {name: 'util-linux', programs: ['unshare', 'nsenter']},
  {name: 'mount', programs: ['mount']},
]

export function checkPrograms(): Finding {
  const missing = NODE_PROGRAMS.map(({name, programs}) => ({
    name,
    programs: programs.filter((program) => !isInstalled(program)),
  })).filter(({programs}) => programs.length > 0)
  if (missing.length === 0)
    return {
      check: 'programs',
      level: 'ok',
      what: 'containerd, runc, CNI plugins, iptables, conntrack, docker-registry',
    }
  return {
    check: 'programs',
    level: 'problem',
    what: `not found: ${missing.flatMap(({programs}) => programs).join(', ')}`,
    advice: `apt-get install --no-install-recommends ${missing.map(({name}) => name).join(' ')}`,
  }
}

function isInstalled(program: string): boolean {
  if (program.startsWith('/')) return isExecutable(program)
  return onPath(program, SYSTEM_PATH) !== undefined
}
