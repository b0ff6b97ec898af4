import {NODE_TOOLS, requireTools, SANDBOX_TOOLS} from '../../state/tools.ts'

/** The binaries of the node that are built by the toolbox. */
const NAMES = [...SANDBOX_TOOLS, 'kubelet', 'kube-proxy', ...NODE_TOOLS] as const

export type NodeTools = Readonly<Record<(typeof NAMES)[number], string>>

/** Returns the paths of the binaries. Throws `KK_TOOLBOX` with the names of all missing ones. */
export function nodeTools(env: Readonly<Record<string, string | undefined>>): NodeTools {
  return requireTools(NAMES, env)
}
