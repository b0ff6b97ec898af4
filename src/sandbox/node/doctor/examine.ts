import {findSandbox} from '../../running.ts'
import {nodePaths} from '../paths.ts'
import {checkCgroups} from './cgroups.ts'
import type {Finding} from './finding.ts'
import {checkKernel} from './kernel.ts'
import {checkNeighbours} from './neighbours.ts'
import {checkPorts} from './ports.ts'
import {checkPrograms} from './programs.ts'
import {checkDisk, checkMemory, checkPath} from './room.ts'
import {checkToolbox} from './toolbox.ts'

/** Whether the node can run on this machine, and how to mend what it lacks. Nothing is changed by looking. */
export async function examineMachine(
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly Finding[]> {
  if (process.platform !== 'linux') return [notLinux()]
  const paths = nodePaths(env)
  const programs = checkPrograms()
  const groups = await Promise.all([
    checkRoot(),
    programs,
    checkToolbox(env),
    checkCgroups(),
    checkKernel(paths.home, programs.level === 'ok'),
    checkMemory(),
    checkDisk(paths.home),
    checkPath(paths),
    // A node that runs holds its own ports and network.
    ...((await findSandbox(paths)).state === 'running'
      ? [runs()]
      : [checkPorts(), checkNeighbours(paths.home)]),
  ])
  return groups.flat()
}

function notLinux(): Finding {
  return {
    check: 'system',
    level: 'problem',
    what: `the node needs Linux, and this is ${process.platform}`,
    advice: 'use a Linux machine, or a cluster of your own with --kubeconfig and --context',
  }
}

function checkRoot(): Finding {
  if (process.getuid?.() === 0) return {check: 'root', level: 'ok', what: 'kk runs as root'}
  return {
    check: 'root',
    level: 'problem',
    what: 'kk does not run as root, who alone may make cgroups, mounts and network interfaces',
    advice: 'run kk with sudo',
  }
}

function runs(): Finding {
  return {check: 'node', level: 'ok', what: 'it runs; its ports and its network are its own'}
}
