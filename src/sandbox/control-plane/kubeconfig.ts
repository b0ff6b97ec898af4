import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {writeAtomically} from '../../state/files/write-atomically.ts'
import type {SandboxPaths} from '../paths.ts'
import {sandboxContext} from '../sandbox.ts'

/** Writes a kubeconfig that stands alone, with kwokctl's certificates inside; returns its one context. */
export async function writeKubeconfig(paths: SandboxPaths, server: string): Promise<string> {
  const pki = (file: string) => readFile(join(paths.cluster, 'pki', file), 'base64')
  const [ca, certificate, key] = await Promise.all([pki('ca.crt'), pki('admin.crt'), pki('admin.key')])
  const name = sandboxContext(paths.name)
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{name, cluster: {server, 'certificate-authority-data': ca}}],
    users: [{name, user: {'client-certificate-data': certificate, 'client-key-data': key}}],
    contexts: [{name, context: {cluster: name, user: name}}],
  }
  await writeAtomically(paths.kubeconfig, `${JSON.stringify(kubeconfig, undefined, 2)}\n`, {mode: 0o600})
  return name
}
