import {defineConfig} from 'vitest/config'

/** Tests that run real programs for seconds: both helms, Python, Go, PostgreSQL. They belong to `npm test`, not to `npm run check`. */
const WITH_PROGRAMS = [
  'test/api/running/**/*.test.ts',
  'test/charts/**/*.test.ts',
  'test/charts-reading/{sources/remote,vendor-charts,files/chart-files}.test.ts',
  'test/environment/split.test.ts',
  'test/helm/{open,yaml,version}.test.ts',
  'test/overrides/{computed,layer-stacks,merge-helm,strvals}.test.ts',
  'test/overrides/user/store.test.ts',
  'test/report/files/{junit,html/page}.test.ts',
  'test/scripts/**/*.test.ts',
  'test/verbs/charts/*.test.ts',
  'test/verbs/explain.test.ts',
  'test/verbs/overrides/expect-schema.test.ts',
  'test/verbs/preparation/inference/*.test.ts',
]

/** End-to-end tests wait more than they work. One number for all: vitest refuses projects that run side by side with different ones. */
const maxWorkers = 4

export default defineConfig({
  // How long each file took, for the longest to start first; below node_modules `npm ci` would forget it.
  cacheDir: 'dist/vite',
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          maxWorkers,
          include: ['test/**/*.test.ts'],
          exclude: [
            'test/e2e/**',
            'test/long/**',
            'test/aio/**',
            'test/cloud/**',
            'test/built-images/**',
            ...WITH_PROGRAMS,
          ],
          // No module keeps state, so files share what is imported: a third of the time.
          isolate: false,
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'programs',
          maxWorkers,
          include: WITH_PROGRAMS,
          testTimeout: 60_000,
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          name: 'e2e',
          maxWorkers,
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/e2e/support/setup.ts'],
          testTimeout: 180_000,
          hookTimeout: 600_000,
          // A real control plane on a machine that others use: once more, and shown as such, before it counts.
          retry: process.env.CI ? 1 : 0,
        },
      },
      {
        test: {
          name: 'aio',
          maxWorkers,
          // One node per machine: whoever runs this project forbids files side by side.
          include: ['test/aio/**/*.test.ts'],
          globalSetup: ['test/aio/support/setup.ts'],
          testTimeout: 180_000,
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          name: 'cloud',
          maxWorkers,
          // On the same node, after its own tests, which end it.
          sequence: {groupOrder: 1},
          include: ['test/cloud/**/*.test.ts'],
          globalSetup: ['test/aio/support/setup.ts'],
          testTimeout: 600_000,
          hookTimeout: 3_600_000,
        },
      },
      {
        test: {
          name: 'images',
          maxWorkers,
          // What kk images build has made, each started in a chroot: root, and no node.
          include: ['test/built-images/**/*.test.ts'],
          globalSetup: ['test/built-images/support/setup.ts'],
          testTimeout: 180_000,
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          name: 'long',
          maxWorkers,
          include: ['test/long/**/*.test.ts'],
          globalSetup: ['test/e2e/support/setup.ts'],
          // Lives of environments go side by side; each is a row of dozens of runs.
          maxConcurrency: 4,
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
})
