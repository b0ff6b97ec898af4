import {chartTable} from '../report/overrides/overrides-text.ts'
import OverridesList from './overrides/list.ts'

export default class HelmOverrideList extends OverridesList {
  static override summary = 'kk overrides list, with the output format of StarlingX.'
  static override description = undefined
  static override examples = ['kk helm-override-list -e environments/all-in-one.yaml']

  protected override readonly text = chartTable
}
