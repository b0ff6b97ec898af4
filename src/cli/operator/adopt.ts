import {isDeepStrictEqual} from 'node:util'
import {KkError} from '../../base/errors.ts'
import {chooseEnvironmentFile} from '../../environment/choose.ts'
import {loadSource} from '../../environment/load.ts'
import {type EnvironmentSource, readEnvironment} from '../../environment/read.ts'
import {adoptEnvironment} from '../../operator/client/environment-commands.ts'
import {exportStore} from '../../overrides/user/document.ts'
import {secretsAmong} from '../../redact/values.ts'
import type {EnvironmentFlags, StoreFlags} from '../flags.ts'
import {openChosenCluster} from '../open/cluster.ts'
import {openStoreToDeploy} from '../open/store.ts'
import {operatorCommand} from '../run/same-again.ts'

/** Hands an environment file and the store of overrides over to the operator, suspended; `say` gets what comes next. */
export async function adopt(
  {secret, ...flags}: EnvironmentFlags & StoreFlags & {readonly secret: boolean},
  [argument]: readonly string[],
  say: (line: string) => void,
): Promise<void> {
  const chosen = {argument, flag: flags.environment, env: process.env, cwd: process.cwd()}
  const source = await loadSource({file: await chooseEnvironmentFile(chosen)})
  const environment = readEnvironment(source)
  expectPlaceless(source)
  await using cluster = await openChosenCluster(flags, environment)
  await using store = await openStoreToDeploy(flags, environment)
  const overrides = store && (await exportStore(store, {secrets: true}))
  const {name, global, sections} = environment
  const left = await adoptEnvironment(cluster, name, {file: source.text, overrides, secret})
  const [place] = secretsAmong({...(global && {global}), ...Object.fromEntries(sections)}, [])
  if (place && !secret)
    say(
      `note: the file has secrets (${place.join('.')}), for who may read its object in kk-system; --secret puts it into a Secret`,
    )
  if (left !== undefined)
    say(
      `note: the file is still in the ConfigMap it was in before: kubectl delete configmap ${left} --namespace kk-system`,
    )
  say(
    `the operator has ${name}, suspended; to let it drive the environment: ${operatorCommand(`resume ${name}`, flags)}`,
  )
}

/** Throws `KK_ENVIRONMENT` for charts that are found from where the file is: in the cluster there is only its text. */
export function expectPlaceless(source: EnvironmentSource): void {
  const here = readEnvironment(source).charts
  const elsewhere = readEnvironment({...source, directory: '/'}).charts
  if (isDeepStrictEqual(here, elsewhere)) return
  throw new KkError('KK_ENVIRONMENT', `kk.charts of ${source.file} are paths that start at the file`, {
    hint: 'name them by an absolute path in the image, by a repository or by oci://',
  })
}
