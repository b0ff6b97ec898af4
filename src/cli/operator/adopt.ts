import {isDeepStrictEqual} from 'node:util'
import {KkError} from '../../base/errors.ts'
import {chooseEnvironmentFile} from '../../environment/choose.ts'
import {loadDocument} from '../../environment/load.ts'
import {type EnvironmentSource, readEnvironment} from '../../environment/read.ts'
import {adoptEnvironment} from '../../operator/client/environment-commands.ts'
import {exportStore} from '../../overrides/user/document.ts'
import {secretsAmong} from '../../redact/values.ts'
import type {EnvironmentFlags, StoreFlags} from '../flags.ts'
import {openChosenCluster} from '../open/cluster.ts'
import {openStoreToDeploy} from '../open/store.ts'
import {operatorCommand} from '../run/repeat-command.ts'

/**
 * Hands an environment file and the override store over to the operator, suspended; `say` receives the next
 * steps.
 */
export async function adopt(
  {secret, ...flags}: EnvironmentFlags & StoreFlags & {readonly secret: boolean},
  [argument]: readonly string[],
  say: (line: string) => void,
): Promise<void> {
  const chosen = {argument, flag: flags.environment, env: process.env, cwd: process.cwd()}
  const {source} = await loadDocument({file: await chooseEnvironmentFile(chosen)})
  const environment = readEnvironment(source)
  expectNoRelativeCharts(source)
  await using cluster = await openChosenCluster(flags, environment)
  await using store = await openStoreToDeploy(flags, environment)
  const overrides = store && (await exportStore(store, {secrets: true}))
  const {name, global, sections} = environment
  const formerConfigMap = await adoptEnvironment(cluster, name, {file: source.text, overrides, secret})
  const [place] = secretsAmong({...(global && {global}), ...Object.fromEntries(sections)}, [])
  if (place && !secret)
    say(
      `note: the file contains secrets (${place.join('.')}), readable in its ConfigMap in kk-system; --secret stores it in a Secret`,
    )
  if (formerConfigMap !== undefined)
    say(
      `note: the former ConfigMap still contains the file: kubectl delete configmap ${formerConfigMap} --namespace kk-system`,
    )
  say(
    `the operator has ${name}, suspended; to start its reconciliation: ${operatorCommand(`resume ${name}`, flags)}`,
  )
}

/** Throws `KK_ENVIRONMENT` for chart paths relative to the file, because the cluster has only its content. */
export function expectNoRelativeCharts(source: EnvironmentSource): void {
  const charts = readEnvironment(source).charts
  const chartsFromRoot = readEnvironment({...source, directory: '/'}).charts
  if (isDeepStrictEqual(charts, chartsFromRoot)) return
  throw new KkError('KK_ENVIRONMENT', `kk.charts of ${source.file} contains paths relative to the file`, {
    hint: 'use an absolute path in the image, a repository or oci://',
  })
}
