import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {onTestFinished} from 'vitest'
import type {Facts} from '../../../../src/overrides/facts/facts.ts'
import type {OverrideService, RequestedUpdate} from '../../../../src/overrides/service.ts'
import {builtInPlugins} from '../../../../src/overrides/system/plugins.ts'
import {openStore} from '../../../../src/overrides/user/open.ts'
import type {OverrideStore} from '../../../../src/overrides/user/store.ts'
import {localOverrides} from '../../../../src/verbs/overrides/local-overrides.ts'
import {factsBase} from '../../../../src/verbs/overrides/override-base.ts'
import {readYaml} from '../../../../src/yaml/yaml.ts'
import {testDirectory} from '../../../support/test-directory.ts'

const FIXTURES = join(import.meta.dirname, '../../../fixtures/overrides')
/** Of no store but those of tests. */
const KEY = Buffer.alloc(32, 7).toString('base64')

function factsOfFile(name: string): Facts {
  return readYaml(readFileSync(join(FIXTURES, name), 'utf8')) as Facts
}

export async function temporaryStore({hasKey = true} = {}): Promise<OverrideStore> {
  const directory = testDirectory()
  const store = await openStore({
    location: join(directory, 'store.sqlite'),
    key: hasKey ? KEY : undefined,
    env: {},
  })
  onTestFinished(async () => {
    await store.close()
  })
  return store
}

export interface Opened {
  readonly service: OverrideService
  readonly store: OverrideStore
}

/** Overrides on a store of its own, with the facts of a file. */
export async function openService(
  facts: Facts | string = 'bare-metal.yaml',
  {allowSecrets = true, hasKey = true} = {},
): Promise<Opened> {
  const store = await temporaryStore({hasKey})
  const base = factsBase({
    facts: typeof facts === 'string' ? factsOfFile(facts) : facts,
    plugins: builtInPlugins(),
  })
  return {store, service: localOverrides({base, store, allowSecrets})('tester')}
}

export function setting(...set: string[]): RequestedUpdate {
  return {flag: 'reset', values: {files: [], set, setString: []}}
}
