import {delimiter, dirname, join} from 'node:path'
import {toolDirectories} from './tools.ts'

/**
 * The environment in which kubectl and helm speak to the sandbox of this kubeconfig. What they remember of the API
 * server goes to the sandbox's directory, so that nothing is written to ~/.kube and a later sandbox at the same
 * address is not taken for this one.
 */
export function childEnvironment(kubeconfig: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const path = [...toolDirectories(env), ...(env.PATH ? [env.PATH] : [])].join(delimiter)
  return {...env, KUBECONFIG: kubeconfig, KUBECACHEDIR: join(dirname(kubeconfig), 'cache'), PATH: path}
}
