import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {asKkError, KkError} from '../base/errors.ts'
import {type ClusterAccess, readKubeconfig} from '../kubernetes/api/kubeconfig.ts'
import {temporaryDirectory} from '../state/files/temporary-directory.ts'

/** A kubeconfig in a file with mode 0600, until it is removed. */
export interface KubeconfigFile {
  readonly path: string
  /** The requested context, else the current one. */
  readonly context: string
  remove(): Promise<void>
}

interface SecretKubeconfig {
  readonly text: string
  /** The name of its Secret, for messages. */
  readonly secret: string
  readonly context: string | undefined
}

/**
 * Writes the kubeconfig of a Secret to a file in a private directory, because helm reads only files. Throws
 * `KK_KUBECONFIG` for an invalid kubeconfig, and for one that refers to files or programs: the operator would
 * read or run its own files, and send their content to the server of the kubeconfig.
 */
export async function kubeconfigFile({text, secret, context}: SecretKubeconfig): Promise<KubeconfigFile> {
  const directory = await temporaryDirectory('kk-kubeconfig-')
  const path = join(directory.path, 'kubeconfig')
  try {
    await directory.fill(() => writeFile(path, text, {mode: 0o600}))
    const access = readKubeconfig({kubeconfig: path, context, env: {}})
    expectComplete(access)
    return {path, context: access.context, remove: directory.remove}
  } catch (error) {
    await directory.remove()
    const {code, message} = asKkError(error)
    if (code !== 'KK_KUBECONFIG') throw error
    throw new KkError('KK_KUBECONFIG', `the Secret ${secret}: ${message.replaceAll(path, 'its content')}`, {
      hint: 'write the kubeconfig into the Secret again, or set another key or context in spec.cluster',
    })
  }
}

const EXTERNAL_FIELDS = {
  cluster: ['certificate-authority'],
  user: ['exec', 'auth-provider', 'tokenFile', 'client-certificate', 'client-key'],
} as const

function expectComplete({cluster, user}: ClusterAccess): void {
  const external = [
    ...EXTERNAL_FIELDS.cluster.filter((key) => cluster[key]).map((key) => `cluster.${key}`),
    ...EXTERNAL_FIELDS.user.filter((key) => user[key]).map((key) => `user.${key}`),
  ]
  if (external.length === 0) return
  throw new KkError(
    'KK_KUBECONFIG',
    `expected a kubeconfig with inline certificates and tokens, found references to files or programs: ${external.join(', ')}`,
  )
}
