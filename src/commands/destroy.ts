import {KkError} from '../base/errors.ts'
import {KkCommand} from '../cli/command.ts'
import {wholeEnvironmentArgument} from '../cli/flags.ts'
import {confirmEnvironment} from '../cli/run/confirm-removal.ts'
import {removalFlags} from '../cli/run/flags.ts'
import {removeReleases} from '../cli/run/removal.ts'
import {planDestroy} from '../verbs/removal/destroy.ts'

export default class Destroy extends KkCommand {
  static override summary = 'Uninstall everything that an environment owns, except what others use.'
  static override description =
    'Confirm the name of the environment with --confirm, or type it on a terminal. These stay: releases that another environment or a foreign release uses, protected releases that are not confirmed by name, and everything that these require; the plan shows the reason for each. Namespaces and data stay.'
  static override examples = [
    'kk destroy environments/all-in-one.yaml --sandbox --confirm all-in-one --dry-run',
    'Including the database, which is protected.\nkk destroy environments/all-in-one.yaml --sandbox --confirm all-in-one --confirm mariadb --dry-run',
  ]
  static override args = wholeEnvironmentArgument
  static override strict = false
  static override flags = removalFlags

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Destroy)
    const {confirm: confirmed = []} = flags
    process.exitCode = await removeReleases({
      verb: 'destroy',
      flags,
      argv: argv as string[],
      console: this.console,
      plan: (context, names) => {
        // A release with the same name as the environment is confirmed as namespace/name.
        const releases = confirmed.filter((name) => name !== context.environment.name)
        if (names.length === 0) return planDestroy(context, releases)
        throw new KkError('KK_USAGE', `kk destroy takes the whole environment, but got ${names.join(', ')}`, {
          hint: `for single releases: kk remove ${names.join(' ')}`,
        })
      },
      confirm: (_, {environment}, mayAsk) => confirmEnvironment(environment.name, confirmed, mayAsk),
    })
  }
}
