import {propertyTable, updatedDocument} from '../report/overrides/overrides-text.ts'
import OverridesUpdate from './overrides/update.ts'

export default class HelmOverrideUpdate extends OverridesUpdate {
  static override summary = 'kk overrides update, with the output format of StarlingX.'
  static override description = undefined
  static override examples = [
    'kk helm-override-update rabbitmq openstack -e environments/all-in-one.yaml --reuse-values --set pod.replicas=2',
  ]

  protected override readonly text = (updated: Parameters<typeof updatedDocument>[0]) =>
    propertyTable(updatedDocument(updated))
}
