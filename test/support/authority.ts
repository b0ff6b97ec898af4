import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'

/**
 * A certificate for some names, and what its client has to trust, as files; and what a Secret of Kubernetes
 * has of it.
 */
export interface Certificate {
  readonly authority: string
  readonly data: Readonly<Record<'ca.crt' | 'tls.crt' | 'tls.key', string>>
}

/** Makes an authority of its own in a directory, and a certificate by it. */
export async function certificateFor(names: readonly string[], directory: string): Promise<Certificate> {
  const openssl = (...args: readonly string[]) => execa('openssl', args, {cwd: directory})
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  await openssl(
    'req',
    '-x509',
    ...key,
    '-days',
    '2',
    '-subj',
    '/CN=authority',
    '-keyout',
    'ca.key',
    '-out',
    'ca.crt',
  )
  await openssl('req', ...key, '-subj', '/CN=public', '-keyout', 'tls.key', '-out', 'tls.csr')
  await writeFile(
    join(directory, 'names'),
    `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}\n`,
  )
  const signer = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial']
  await openssl(
    'x509',
    '-req',
    '-in',
    'tls.csr',
    ...signer,
    '-days',
    '2',
    '-extfile',
    'names',
    '-out',
    'tls.crt',
  )
  const [ca = '', certificate = '', privateKey = ''] = await Promise.all(
    ['ca.crt', 'tls.crt', 'tls.key'].map((file) => readFile(join(directory, file), 'base64')),
  )
  return {
    authority: join(directory, 'ca.crt'),
    data: {'ca.crt': ca, 'tls.crt': certificate, 'tls.key': privateKey},
  }
}

interface Question {
  readonly url: string
  /** The address that has the name in the URL. */
  readonly address: string
  /** The file of the authority that is trusted. */
  readonly authority?: string
  readonly args?: readonly string[]
}

/** What curl is answered, by HTTP/2 where it can; its exit code tells of a refusal before any answer. */
export async function ask({url, address, authority, args = []}: Question) {
  const {hostname, port, protocol} = new URL(url)
  const {exitCode, stdout} = await execa(
    'curl',
    [
      ...[
        '--silent',
        '--http2',
        '--max-time',
        '60',
        '--write-out',
        '\n%{http_version} %{http_code} %{redirect_url}',
      ],
      ...['--resolve', `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}:${address}`],
      ...(authority === undefined ? [] : ['--cacert', authority]),
      ...[...args, url],
    ],
    {reject: false},
  )
  const [, body = '', version = '', status = '', location = ''] =
    /^([\s\S]*)\n(\S+) (\d+) (\S*)$/.exec(stdout) ?? []
  return {exitCode, body, version, status: Number(status), location}
}
