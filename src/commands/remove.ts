import {KkError} from '../base/errors.ts'
import {KkCommand} from '../cli/command.ts'
import {releasesArgument} from '../cli/flags.ts'
import type {NamedReleases} from '../cli/run/change.ts'
import {confirmNamed} from '../cli/run/confirm-removal.ts'
import {namedRemovalFlags, removalFlags} from '../cli/run/flags.ts'
import {removeReleases} from '../cli/run/removal.ts'
import {planRemove} from '../verbs/removal/remove.ts'

export default class Remove extends KkCommand {
  static override summary = 'Uninstall the named releases, unless anything on the cluster uses them.'
  static override description =
    'Refuses while a release of any environment, or a record that cannot be read, requires what is named. Shows what goes and what stays before it asks: what helm leaves behind, and what the releases have in other services, which --purge takes away by a Job of the chart before helm runs. What the releases only shared is not touched. Without a terminal it removes nothing without --yes.'
  static override examples = [
    'kk remove horizon -e environments/all-in-one.yaml --sandbox --dry-run',
    'A protected release, and all that needs it.\nkk remove mariadb -e environments/all-in-one.yaml --sandbox --with-dependents --confirm mariadb --dry-run',
    'A service with its database, its user and its entries in the catalogue.\nkk remove placement -e environments/all-in-one.yaml --sandbox --purge --confirm placement --dry-run',
  ]
  static override args = releasesArgument
  static override flags = {...removalFlags, ...namedRemovalFlags}

  /** The releases that the words of the command line mean, where they are not the names of such. */
  protected readonly named: NamedReleases | undefined = undefined

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Remove)
    const {'with-dependents': withDependents, purge: isPurge = false, confirm: confirmed = []} = flags
    process.exitCode = await removeReleases({
      verb: 'remove',
      flags,
      argv: argv as string[],
      console: this.console,
      named: this.named,
      plan: (context, names) => {
        if (names.length > 0) return planRemove(context, {names, withDependents, isPurge})
        throw new KkError('KK_USAGE', 'expected the names of releases to remove, got none', {
          hint: 'kk remove RELEASE…; the whole environment: kk destroy FILE',
        })
      },
      async confirm(planned, _, mayAsk) {
        await confirmNamed(planned, confirmed, mayAsk)
        return false
      },
    })
  }
}
