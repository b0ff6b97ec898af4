import type {ChartPlace} from '../overrides/user/store.ts'
import {deletedText} from '../report/overrides/overrides-text.ts'
import OverridesDelete from './overrides/delete.ts'

export default class HelmOverrideDelete extends OverridesDelete {
  static override summary = 'kk overrides delete, with the output format of StarlingX.'
  static override description = undefined
  static override examples = ['kk helm-override-delete rabbitmq openstack -e environments/all-in-one.yaml']

  protected override deletedText({name, namespace}: ChartPlace): string {
    return deletedText(name, namespace)
  }
}
