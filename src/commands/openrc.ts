import {resolve} from 'node:path'
import {Flags} from '@oclif/core'
import {KkCommand} from '../cli/command.ts'
import {fileArgument, renderFlags} from '../cli/flags.ts'
import {namesCluster, openChosenCluster, openUsersHelm} from '../cli/open/cluster.ts'
import {openValues} from '../cli/open/open.ts'
import {openSecrets} from '../cli/open/secrets.ts'
import {cloudsText, openrcText} from '../report/openrc-text.ts'
import {isPlainFile, writeNamedFile} from '../state/files/write-named-file.ts'
import {type CloudAccess, cloudAccess} from '../verbs/cloud-access.ts'

export default class Openrc extends KkCommand {
  static override summary = 'Print an openrc or a clouds.yaml to log in to the cloud of an environment.'
  static override description =
    'With the password from the environment, or the one that kk stores in the cluster (--context, --sandbox) or in the override store. The output contains it: read it with source <(kk openrc FILE), or use --file, which only its owner can read. If the endpoint is https and its authority is known, --file also writes the certificates to FILE.ca.crt and refers to them.'
  static override usage = '[FILE] [FLAGS]'
  static override examples = [
    'kk openrc environments/all-in-one.yaml',
    'kk openrc environments/all-in-one.yaml --format clouds --file clouds.yaml',
    'kk openrc environments/all-in-one.yaml --user glance --interface internal',
  ]
  static override args = fileArgument
  static override flags = {
    ...renderFlags,
    user: Flags.string({
      summary: 'The user: one that the charts create (default: the administrator).',
      helpValue: 'USER',
    }),
    interface: Flags.option({
      summary: 'The endpoints to use: those for users, or those within the cluster.',
      options: ['public', 'internal'] as const,
      default: 'public',
    })(),
    format: Flags.option({
      summary: 'The format: a script for source, or a clouds.yaml.',
      options: ['openrc', 'clouds'] as const,
      default: 'openrc',
    })(),
    cloud: Flags.string({
      summary: 'The name of the cloud in clouds.yaml (default: the name of the environment).',
      helpValue: 'NAME',
    }),
    file: Flags.string({
      summary: 'Write to this file, readable only by its owner, and print nothing.',
      helpValue: 'NAME',
    }),
  }

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(Openrc)
    const argv = args.file === undefined ? [] : [args.file]
    // Facts about the cluster change no account.
    const {prepared} = await openValues(flags, argv, () => undefined)
    const {environment} = prepared
    await using cluster = namesCluster(flags) ? await openChosenCluster(flags, environment) : undefined
    const supplied = await openSecrets(prepared, flags, cluster)
    const {user, interface: side, file} = flags
    const helm = await openUsersHelm(flags, cluster)
    const access = await cloudAccess(supplied, {user, interface: side, helm, cluster})
    // Next to a device or a stream there is no place for a second file.
    const isPlain = file !== undefined && (await isPlainFile(file))
    const authorityFile = isPlain && access.authority !== undefined ? resolve(`${file}.ca.crt`) : undefined
    if (authorityFile !== undefined) await writeNamedFile(authorityFile, access.authority!)
    const text =
      flags.format === 'openrc'
        ? openrcText(access, authorityFile)
        : cloudsText(access, flags.cloud ?? environment.name, authorityFile)
    if (file === undefined) this.console.print(text)
    else await writeNamedFile(file, text)
    for (const note of notes(access, authorityFile)) this.console.say(`note: ${note}`)
  }
}

/** Returns what the user must do before the login works. */
function notes(
  {authUrl, authority, interface: side}: CloudAccess,
  authorityFile: string | undefined,
): readonly string[] {
  const {hostname} = new URL(authUrl)
  const isInside = /\.svc\.|^[^.]+$/.test(hostname)
  return [
    ...(isInside
      ? [
          `${hostname} is a name within the cluster${side === 'public' ? ': for a public one set endpoints.identity.host_fqdn_override.public' : ''}`,
        ]
      : []),
    ...(authUrl.startsWith('https:') && authorityFile === undefined
      ? [
          authority === undefined
            ? 'the certificates of the authority are not known here: if clients do not know them, set OS_CACERT'
            : 'clients must know the authority of the endpoint: --file also writes its certificates',
        ]
      : []),
  ]
}
