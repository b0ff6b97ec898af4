import {chmod} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {testDirectory} from '../../support/test-directory.ts'

/** Keys of gpg for a test: of the signer, `charts@example.org`, and of another user. */
interface SigningKeys extends AsyncDisposable {
  readonly key: string
  readonly passphrase: string
  /** gpg's home with the secret keys. */
  readonly home: string
  /** Files in gpg's export format. */
  readonly secret: string
  readonly public: string
  readonly others: string
}

const PASSPHRASE = 'a passphrase of words'

export async function makeSigningKeys(): Promise<SigningKeys> {
  const home = testDirectory()
  await chmod(home, 0o700)
  const gpg = async (...words: readonly string[]) => {
    const options = ['--homedir', home, '--batch', '--pinentry-mode', 'loopback', '--passphrase-fd', '0']
    await execa('gpg', [...options, ...words], {input: PASSPHRASE})
  }
  const exported = async (file: string, ...words: readonly string[]) => {
    // gpg writes the file: execa strips a final newline byte of the output, which one key in 256 has.
    await gpg('--output', join(home, file), ...words)
    return join(home, file)
  }
  for (const name of ['charts', 'others'])
    await gpg('--quick-generate-key', `${name}@example.org`, 'ed25519', 'sign', 'never')
  return {
    key: 'charts@example.org',
    passphrase: PASSPHRASE,
    home,
    secret: await exported('secret.gpg', '--export-secret-keys', 'charts@example.org'),
    public: await exported('public.gpg', '--export', 'charts@example.org'),
    others: await exported('others.gpg', '--export', 'others@example.org'),
    async [Symbol.asyncDispose]() {
      await execa('gpgconf', ['--homedir', home, '--kill', 'gpg-agent'])
    },
  }
}
