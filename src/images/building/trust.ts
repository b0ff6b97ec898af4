import {existsSync} from 'node:fs'
import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'

/** Where distributions keep the certificates that a machine trusts. */
const BUNDLES = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt']

/**
 * What pip needs to reach PyPI from here, as secrets of the build: they are in no layer and no history. Containerfiles
 * mount them; without them pip uses its own certificates and index.
 */
export async function trustArguments(
  directory: string,
  env: NodeJS.ProcessEnv,
  bundles: readonly string[] = BUNDLES,
): Promise<readonly string[]> {
  const bundle = [env.PIP_CERT, env.SSL_CERT_FILE, ...bundles].find((path) => path && existsSync(path))
  const configuration = join(directory, 'pip.conf')
  const lines = [
    '[global]',
    ...(bundle ? ['cert = /run/ca.crt'] : []),
    ...(env.PIP_INDEX_URL ? [`index-url = ${env.PIP_INDEX_URL}`] : []),
  ]
  await writeFile(configuration, `${lines.join('\n')}\n`, {mode: 0o600})
  return [
    '--secret',
    `id=pip.conf,src=${configuration}`,
    ...(bundle ? ['--secret', `id=ca.crt,src=${bundle}`] : []),
  ]
}
