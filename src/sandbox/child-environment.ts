import {delimiter, dirname, join} from 'node:path'
import {toolDirectories} from '../state/tools.ts'

/**
 * Returns the environment in which kubectl and helm access the sandbox of this kubeconfig. Their discovery
 * caches are in the sandbox's directory, so that nothing is written to ~/.kube and a later sandbox at the
 * same address does not use stale entries.
 */
export function childEnvironment(kubeconfig: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const path = [...toolDirectories(env), ...(env.PATH ? [env.PATH] : [])].join(delimiter)
  return {...env, KUBECONFIG: kubeconfig, KUBECACHEDIR: join(dirname(kubeconfig), 'cache'), PATH: path}
}
