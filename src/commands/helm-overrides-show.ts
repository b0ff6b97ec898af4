import HelmOverrideShow from './helm-override-show.ts'

/** The spelling that occurs once in the StarlingX documentation. */
export default class HelmOverridesShow extends HelmOverrideShow {
  static override description = undefined
  static override hidden = true
}
