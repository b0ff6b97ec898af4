import {rm, symlink} from 'node:fs/promises'
import {join} from 'node:path'
import {expect, inject} from 'vitest'
import {FORMER_KIT} from '../../../scripts/toolbox/recipe.ts'
import {buildToolbox} from '../../../scripts/toolbox.ts'
import {runningComponents} from '../../../src/sandbox/control-plane/components.ts'
import {startComponents} from '../../../src/sandbox/control-plane/create.ts'
import {nodePaths} from '../../../src/sandbox/node/paths.ts'
import {nodeTools} from '../../../src/sandbox/node/tools.ts'
import {signalProcess} from '../../../src/state/processes/signal-process.ts'
import {aioEnvironment} from '../../aio/support/run-aio.ts'
import {waitFor} from '../../e2e/support/cluster.ts'

/** The directory of the former minor version of Kubernetes, which is built first if it is missing. */
export function formerKubernetes(): Promise<string> {
  // Another toolbox may be named, which does not have it.
  const {KK_TOOLBOX: _, ...env} = process.env
  return buildToolbox(env, (line) => process.stderr.write(`${line}\n`), FORMER_KIT)
}

const CONTROL_PLANE = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const

/** Replaces the control plane of the nodes by kk's version of Kubernetes, while kubelets and pods run on. */
export async function upgradeControlPlane(): Promise<void> {
  const env = aioEnvironment(inject('aio'))
  const [paths, tools] = [nodePaths(env), nodeTools(env)]
  const {components} = await runningComponents(paths, paths.controlPlane)
  for (const name of CONTROL_PLANE) {
    const link = join(paths.cluster, 'bin', name)
    await rm(link)
    await symlink(tools[name], link)
    expect(components[name]).toBeDefined()
    signalProcess(components[name]!, 'SIGTERM')
  }
  const gone = async () => {
    const {missing} = await runningComponents(paths, paths.controlPlane)
    return CONTROL_PLANE.every((name) => missing.includes(name))
  }
  await waitFor(gone, {until: 'the old control plane has ended', seconds: 120})
  await startComponents({paths, tools, env}, CONTROL_PLANE)
}
