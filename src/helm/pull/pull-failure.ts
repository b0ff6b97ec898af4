import {KkError} from '../../errors.ts'
import type {HelmOutcome} from '../run.ts'
import {hostOf, withoutCredentials} from './package-url.ts'

const SUMMARY = /^Update Complete|^Error: failed to update the following|^Hang tight/
const NO_LOGIN = /\b(?:401|403)\b|credential|unauthorized|denied/i

/** What helm printed when it could not fetch something, as `KK_CHART`; the URL is shown without credentials. */
export function pullFailure(what: string, url: string, {stdout, stderr}: HelmOutcome): KkError {
  const lines = `${stdout}\n${stderr}`.split('\n').map((line) => line.trim())
  const last = lines.findLast((line) => line !== '' && !SUMMARY.test(line)) ?? 'helm printed nothing'
  const reason = last.replace(/^Error: /, '').replaceAll(/:\/\/[^\s/@]*@/g, '://')
  return new KkError('KK_CHART', `cannot fetch ${what} from ${withoutCredentials(url)}: ${reason}`, {
    hint: NO_LOGIN.test(reason)
      ? loginHint(url)
      : `check the address in kk.charts, the network and the proxy`,
  })
}

/** How a user tells helm, and so kk, a user and password. */
export function loginHint(url: string): string {
  return url.startsWith('oci:')
    ? `log in with helm registry login ${hostOf(url)}`
    : `log in with helm repo add --username NAME --password-stdin: kk uses what it writes down for ${hostOf(url)}`
}
