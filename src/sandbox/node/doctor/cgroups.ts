import {mkdir, readFile, rmdir} from 'node:fs/promises'
import {join} from 'node:path'
import {cgroupMounts} from '../host/cgroups.ts'
import type {Finding} from './finding.ts'

/** What the kubelet asks for. */
const CONTROLLERS = ['cpu', 'cpuset', 'memory', 'pids']

const UNIFIED = '/sys/fs/cgroup'

/** The controllers of either version, and whether cgroups can be made. */
export async function checkCgroups(): Promise<Finding> {
  const unified = await readFile(join(UNIFIED, 'cgroup.controllers'), 'utf8').catch(() => undefined)
  const [version, found] = unified === undefined ? [1, await mountedControllers()] : [2, unified.split(/\s+/)]
  const missing = CONTROLLERS.filter((name) => !found.includes(name))
  if (missing.length > 0) return lacking(version, missing)
  const refused = await tryToMake()
  if (refused !== undefined) return notWritable(refused)
  return {check: 'cgroups', level: 'ok', what: `version ${version}, with ${CONTROLLERS.join(', ')}`}
}

/** With version 1 each controller, or a few together, has a mount named after it. */
async function mountedControllers(): Promise<string[]> {
  const text = await readFile('/proc/self/mounts', 'utf8')
  return text
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, , type]) => type === 'cgroup')
    .flatMap(([, , , options]) => options?.split(',') ?? [])
}

async function tryToMake(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return undefined
  for (const mount of await cgroupMounts()) {
    const probe = join(mount, `kk-doctor-${process.pid}`)
    try {
      await mkdir(probe)
      await rmdir(probe)
    } catch {
      return mount
    }
  }
  return undefined
}

function lacking(version: number, missing: readonly string[]): Finding {
  return {
    check: 'cgroups',
    level: 'problem',
    what: `version ${version} without the controllers ${missing.join(', ')}`,
    advice:
      'start the kernel with cgroup_enable=cpuset,memory; inside a container, start it privileged with --cgroupns=host',
  }
}

function notWritable(mount: string): Finding {
  return {
    check: 'cgroups',
    level: 'problem',
    what: `no cgroup can be made in ${mount}`,
    advice: 'inside a container, start it privileged with a writable /sys/fs/cgroup',
  }
}
