export type HelmName = 'helm4' | 'helm3'

/**
 * The helms with which a file runs the tests that concern helm itself: the newest; `npm run test:long` runs
 * these tests once more with the other. Their names contain that of the helm.
 */
export const HELMS: readonly HelmName[] = process.env.KK_TEST_HELM === 'helm3' ? ['helm3'] : ['helm4']
