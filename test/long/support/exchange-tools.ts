import {EXCHANGE_KIT} from '../../../scripts/toolbox/recipe.ts'
import {buildToolbox} from '../../../scripts/toolbox.ts'

/**
 * The directory of helmfile, sops and age-keygen, and of `crds/`: what Flux and Argo define. They are built
 * first where they are missing.
 */
export async function exchangeTools(): Promise<string> {
  // Another toolbox may be named, which has none of these.
  const {KK_TOOLBOX: _, ...env} = process.env
  return buildToolbox(env, (line) => process.stderr.write(`${line}\n`), EXCHANGE_KIT)
}
