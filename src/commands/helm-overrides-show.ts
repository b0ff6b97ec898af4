import HelmOverrideShow from './helm-override-show.ts'

/** As the document's text once spells it. */
export default class HelmOverridesShow extends HelmOverrideShow {
  static override description = undefined
  static override hidden = true
}
