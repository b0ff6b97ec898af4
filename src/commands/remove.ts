import {KkError} from '../base/errors.ts'
import {KkCommand} from '../cli/command.ts'
import {releasesArgument} from '../cli/flags.ts'
import type {NamedReleases} from '../cli/run/change.ts'
import {confirmNamed} from '../cli/run/confirm-removal.ts'
import {namedRemovalFlags, removalFlags} from '../cli/run/flags.ts'
import {removeReleases} from '../cli/run/removal.ts'
import {planRemove} from '../verbs/removal/remove.ts'

export default class Remove extends KkCommand {
  static override summary = 'Uninstall the named releases, unless something on the cluster uses them.'
  static override description =
    'Refuses while a release of any environment, or a record that cannot be read, requires a named release. Before asking for confirmation, shows what is removed and what stays: objects that helm leaves behind, and data of the releases in other services, which --purge removes with a Job of the chart before helm runs. Shared data is not touched. Without a terminal, --yes is required.'
  static override usage = '[FILE] RELEASE... [FLAGS]'
  static override examples = [
    'kk remove horizon -e environments/all-in-one.yaml --sandbox --dry-run',
    'A protected release with everything that requires it.\nkk remove mariadb -e environments/all-in-one.yaml --sandbox --with-dependents --confirm mariadb --dry-run',
    'A service with its database, its user and its catalog entries.\nkk remove placement -e environments/all-in-one.yaml --sandbox --purge --confirm placement --dry-run',
  ]
  static override args = releasesArgument
  static override flags = {...removalFlags, ...namedRemovalFlags}

  /** Maps the arguments to release names, in subclasses whose arguments are other names. */
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
