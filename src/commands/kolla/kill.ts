import {namedByKolla} from '../../cli/kolla.ts'
import Remove from '../remove.ts'

export default class KollaKill extends Remove {
  static override summary = "kk remove, by kolla's names of services."
  static override description =
    'Uninstalls the releases that do the work of services of kolla-kubernetes, and refuses what kk remove refuses: what others use, and what is protected unless it is confirmed by its name. Data stays.'
  static override usage = '[FILE] SERVICE... [FLAGS]'
  static override examples = ['kk kolla kill horizon -e environments/all-in-one.yaml --sandbox --dry-run']

  protected override readonly named = namedByKolla
}
