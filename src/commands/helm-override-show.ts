import type {ShownOverrides} from '../overrides/service.ts'
import {overridesDocument, propertyTable} from '../report/overrides/overrides-text.ts'
import type {View} from '../report/text/view.ts'
import OverridesShow from './overrides/show.ts'

export default class HelmOverrideShow extends OverridesShow {
  static override summary = 'kk overrides show, with the output format of StarlingX.'
  static override description = undefined
  static override examples = [
    'kk helm-override-show rabbitmq openstack -e environments/all-in-one.yaml',
    'kk helm-override-show rabbitmq openstack -e environments/all-in-one.yaml --format armada --show-secrets --file=rabbitmq.yaml',
  ]

  protected override text(charts: readonly ShownOverrides[]): View {
    return charts.map((chart) => propertyTable(overridesDocument(chart)))
  }
}
