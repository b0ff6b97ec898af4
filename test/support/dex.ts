import {join} from 'node:path'
import {IDENTITY_KIT} from '../../scripts/toolbox/recipe.ts'
import {buildToolbox} from '../../scripts/toolbox.ts'

/** The path of dex, an issuer of OpenID Connect, which is built first if it is missing. */
export async function dexBinary(): Promise<string> {
  // Another toolbox may be named, which does not have it.
  const {KK_TOOLBOX: _, ...env} = process.env
  return join(await buildToolbox(env, (line) => process.stderr.write(`${line}\n`), IDENTITY_KIT), 'dex')
}
