import {factsBase, type OverrideBase} from '../../verbs/overrides/override-base.ts'
import {openPlugins} from '../open/layers.ts'
import type {OverridesFlags} from './open-overrides.ts'

/** What plugins call secret, and nothing else: enough for who looks at the store, and not at what lies below it. */
export async function storeBase(flags: OverridesFlags): Promise<OverrideBase> {
  return factsBase({plugins: await openPlugins(flags), facts: {}})
}
