import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {asKkError, KkError} from '../base/errors.ts'
import {type ClusterAccess, readKubeconfig} from '../kubernetes/api/kubeconfig.ts'
import {temporaryDirectory} from '../state/files/temporary-directory.ts'

/** A kubeconfig in a file that only this user may read, until it is removed. */
export interface KubeconfigFile {
  readonly path: string
  /** The context that was named, or else its current one. */
  readonly context: string
  remove(): Promise<void>
}

interface SecretKubeconfig {
  readonly text: string
  /** The Secret that it is from, for messages. */
  readonly secret: string
  readonly context: string | undefined
}

/**
 * Writes the kubeconfig of a Secret to a file in a private directory, for helm reads files only. Throws `KK_KUBECONFIG` for
 * one that cannot be used, and for one that names files or programs: they would be those of whoever reads it, who would hand
 * their content to the server that it names.
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
    throw new KkError('KK_KUBECONFIG', `the Secret ${secret}: ${message.replaceAll(path, 'its text')}`, {
      hint: 'write the kubeconfig into the Secret anew, or name another key or context in spec.cluster',
    })
  }
}

const OUTSIDE = {
  cluster: ['certificate-authority'],
  user: ['exec', 'auth-provider', 'tokenFile', 'client-certificate', 'client-key'],
} as const

function expectComplete({cluster, user}: ClusterAccess): void {
  const named = [
    ...OUTSIDE.cluster.filter((key) => cluster[key]).map((key) => `cluster.${key}`),
    ...OUTSIDE.user.filter((key) => user[key]).map((key) => `user.${key}`),
  ]
  if (named.length === 0) return
  throw new KkError(
    'KK_KUBECONFIG',
    `expected a kubeconfig with certificates and tokens in it, found what is elsewhere: ${named.join(', ')}`,
  )
}
