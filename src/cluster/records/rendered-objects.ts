import type {KubernetesObject, StoredRelease} from '../cluster.ts'
import {parseManifest} from '../manifest.ts'

/**
 * The objects of a revision as an upgrade would render them again: its manifest and its hooks. Left out is what helm does
 * not render for an upgrade: `crds/`, which no upgrade touches, and tests.
 */
export function renderedObjects({
  manifest,
  hooks,
}: Pick<StoredRelease, 'manifest' | 'hooks'>): KubernetesObject[] {
  const withoutTests = hooks.flatMap(parseManifest).filter((hook) => !isTest(hook))
  return [...parseManifest(manifest), ...withoutTests]
}

/** Helm 4.2: action.go, `--skip-tests`. */
function isTest({metadata}: KubernetesObject): boolean {
  const events = metadata.annotations?.['helm.sh/hook'] ?? ''
  return events.split(',').some((event) => TESTS.has(event.trim().toLowerCase()))
}

const TESTS: ReadonlySet<string> = new Set(['test', 'test-success'])
