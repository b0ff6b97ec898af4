import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {type TemporaryDirectory, temporaryDirectory} from '../../state/files/temporary-directory.ts'
import {describeExit} from '../../state/processes/exit-code.ts'
import {foreignEnvironment} from '../../state/processes/foreign-environment.ts'
import {dumpYaml} from '../../yaml/dump.ts'
import type {PackedChart} from './pack-chart.ts'

/** Signs packages with one key; its temporary files are removed at the end of its scope. */
interface Signer extends AsyncDisposable {
  /** Returns the package with its provenance. Rejects with `KK_SIGNING`. */
  sign(packed: PackedChart): Promise<PackedChart>
}

interface SignerOptions {
  /** The key by its id, its fingerprint, or a part of its name. */
  readonly key: string
  /**
   * A file of secret keys, as `gpg --export-secret-keys` writes it; by default gpg's own, with its agent and
   * smart cards.
   */
  readonly keyring?: string | undefined
  /** Without it gpg's agent prompts for it, if necessary. */
  readonly passphrase?: string | undefined
  readonly env: NodeJS.ProcessEnv
}

/**
 * Opens gpg to sign packages as `helm package --sign` would, which packs them again. Rejects with
 * `KK_SIGNING`.
 */
export async function openSigner({key, keyring, passphrase, env}: SignerOptions): Promise<Signer> {
  const directory = await temporaryDirectory('kk-sign-')
  const home = keyring === undefined ? [] : ['--homedir', directory.path]
  const phrase = passphrase === undefined ? [] : ['--pinentry-mode', 'loopback', '--passphrase-fd', '0']
  const gpg = async (words: readonly string[], input?: string): Promise<string> => {
    const {execa} = await import('execa')
    const {stdout, stderr, ...ended} = await execa('gpg', [...home, '--batch', ...words], {
      env: {...foreignEnvironment(env), LC_ALL: 'C'},
      extendEnv: false,
      ...(input === undefined ? {stdin: 'ignore'} : {input}),
      reject: false,
      stripFinalNewline: false,
    })
    if (ended.exitCode === 0) return stdout
    const end = describeExit(ended)
    const message = end && (lastLine(stderr)?.replace(`${directory.path}/message: `, '') ?? end)
    const reason = message ?? 'it cannot be started: on Debian it is in the package gpg'
    throw new KkError('KK_SIGNING', `gpg does not sign with ${key}: ${reason}`, {hint: SIGNING_HINT})
  }
  const remove = () => closeHome(directory, keyring !== undefined, env)
  try {
    if (keyring !== undefined) await gpg(['--import', '--', keyring])
  } catch (error) {
    await remove()
    throw error
  }
  return {
    async sign(packed) {
      const message = join(directory.path, 'message')
      await directory.fill(() => writeFile(message, signedText(packed)))
      const words = ['--local-user', key, '--digest-algo', 'SHA512', '--output', '-', '--clearsign', message]
      return {...packed, provenance: await gpg([...phrase, ...words], passphrase)}
    },
    [Symbol.asyncDispose]: remove,
  }
}

const SIGNING_HINT =
  'gpg --list-secret-keys shows the keys that there are; a passphrase is read from --passphrase-file, or prompted for by gpg if there is a terminal'

/**
 * Returns the message that Helm verifies: the content of `Chart.yaml`, and the digest of the package (Helm
 * 4.2: provenance/sign.go).
 */
function signedText({file, digest, metadata}: PackedChart): string {
  return `${dumpYaml(metadata)}\n...\n${dumpYaml({files: {[file]: `sha256:${digest}`}})}`
}

function lastLine(stderr: string): string | undefined {
  return stderr
    .split('\n')
    .findLast((text) => text.trim() !== '' && !/Total number processed/.test(text))
    ?.replace(/^gpg: /, '')
}

/** Ends the agent that gpg has started for a separate keyring. */
async function closeHome(
  directory: TemporaryDirectory,
  isOwn: boolean,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  if (isOwn) {
    const {execa} = await import('execa')
    const words = ['--homedir', directory.path, '--kill', 'gpg-agent']
    await execa('gpgconf', words, {
      env: foreignEnvironment(env),
      extendEnv: false,
      stdin: 'ignore',
      reject: false,
    })
  }
  await directory.remove()
}
