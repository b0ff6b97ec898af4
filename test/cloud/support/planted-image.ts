import {execa} from 'execa'

/**
 * Pushes an image with changed files to the registry of the node, as `:planted`; resolves with its reference.
 */
export async function plantedImage(
  from: string,
  change: (root: string) => Promise<unknown>,
): Promise<string> {
  const buildah = async (...args: readonly string[]) => (await execa('buildah', args)).stdout
  const container = await buildah('from', '--quiet', '--tls-verify=false', `docker://${from}`)
  await change(await buildah('mount', container))
  const to = from.replace(/:[^:/]+$/, ':planted')
  await buildah('commit', '--quiet', '--rm', '--tls-verify=false', container, `docker://${to}`)
  return to
}
