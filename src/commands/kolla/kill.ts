import {releasesByKollaName} from '../../cli/kolla.ts'
import Remove from '../remove.ts'

export default class KollaKill extends Remove {
  static override summary = "kk remove, by kolla's service names."
  static override description =
    'Uninstalls the releases that correspond to services of kolla-kubernetes. Like kk remove, refuses releases that others use, and protected releases that are not confirmed by name. Data stays.'
  static override usage = '[FILE] SERVICE... [FLAGS]'
  static override examples = ['kk kolla kill horizon -e environments/all-in-one.yaml --sandbox --dry-run']

  protected override readonly named = releasesByKollaName
}
