import {join} from 'node:path'
import {execa} from 'execa'
import type {HelmName} from '../../support/helms.ts'
import {toolPath} from '../../support/tools.ts'
import {writeFiles} from './write-files.ts'

/** Runs a real helm; rejects if it fails. Returns its standard output. */
export async function helm(
  name: HelmName,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const {stdout} = await execa(await toolPath(name), words, {env})
  return stdout
}

/** Packages a chart; returns the path of the `.tgz`. */
export async function packageChart(chart: string, destination = writeFiles({})): Promise<string> {
  const stdout = await helm('helm4', ['package', chart, '--destination', destination])
  return stdout.slice(stdout.indexOf('/')).trim()
}

/** Writes a login to the file of `helm registry login`. */
export function registryLogin(host: string, username: string, password: string): string {
  const auth = Buffer.from(`${username}:${password}`).toString('base64')
  return join(writeFiles({'config.json': JSON.stringify({auths: {[host]: {auth}}})}), 'config.json')
}
