import {namedByKolla} from '../../cli/kolla.ts'
import Upgrade from '../upgrade.ts'

export default class KollaRun extends Upgrade {
  static override summary = "kk upgrade --install, by kolla's names of services."
  static override description =
    'Installs or upgrades the releases that do the work of services of kolla-kubernetes: nova-control and nova_api are nova, unless the environment has a release of that name. Its configuration, accounts, databases and volumes are made with it; what it requires must be there (kk kolla bootstrap).'
  static override usage = '[FILE] SERVICE... [FLAGS]'
  static override examples = ['kk kolla run keystone -e environments/all-in-one.yaml --sandbox']

  protected override readonly named = namedByKolla

  override async run(): Promise<void> {
    this.argv = ['--install', ...this.argv]
    await super.run()
  }
}
