import {releasesByKollaName} from '../../cli/kolla.ts'
import Upgrade from '../upgrade.ts'

export default class KollaRun extends Upgrade {
  static override summary = "kk upgrade --install, by kolla's service names."
  static override description =
    'Installs or upgrades the releases that correspond to services of kolla-kubernetes: nova-control and nova_api map to nova, unless the environment has a release of that name. Configuration, accounts, databases and volumes are created with the release; its requirements must be installed (kk kolla bootstrap).'
  static override usage = '[FILE] SERVICE... [FLAGS]'
  static override examples = ['kk kolla run keystone -e environments/all-in-one.yaml --sandbox']

  protected override readonly named = releasesByKollaName

  override async run(): Promise<void> {
    this.argv = ['--install', ...this.argv]
    await super.run()
  }
}
