import {defineConfig} from 'vitest/config'
import {BaseSequencer, type TestSpecification} from 'vitest/node'

/**
 * Tests that run real programs for seconds: both helms, Python, Go, PostgreSQL. They belong to `npm test`,
 * not to `npm run check`.
 */
const WITH_PROGRAMS = [
  'test/api/running/**/*.test.ts',
  'test/own-charts/**/*.test.ts',
  'test/charts/{publishing/{publishing,signing,pack-chart},find-chart-remote,vendor-charts,files/chart-files}.test.ts',
  'test/environment/split.test.ts',
  'test/helm/{open,version}.test.ts',
  'test/yaml/yaml.test.ts',
  'test/images/{building/go-program,registry/copy-image}.test.ts',
  'test/overrides/{computed,layer-stacks,merge-helm,strvals}.test.ts',
  'test/overrides/user/store.test.ts',
  'test/report/files/{junit,html}.test.ts',
  'test/run/killed-journal.test.ts',
  'test/scripts/**/*.test.ts',
  'test/verbs/charts/*.test.ts',
  'test/doctor/charts/*.test.ts',
  'test/verbs/explain.test.ts',
  'test/verbs/images/mirror.test.ts',
  'test/verbs/overrides/expect-schema.test.ts',
  'test/prepare/inference/*.test.ts',
  'test/verbs/secrets/shared-accounts.test.ts',
]

/**
 * End-to-end tests wait more than they work. One number for all: vitest refuses projects that run side by
 * side with different ones.
 */
const maxWorkers = 4

interface CloudProject {
  readonly name: string
  /** Its folder below `test/cloud/`. */
  readonly place: string
  readonly maxWorkers: number
  readonly groupOrder: number
  /** In milliseconds; ten minutes if omitted. */
  readonly testTimeout?: number
  readonly setupFiles?: readonly string[]
}

const MACHINES = 'cloud-machines'
const TEMPEST = 'cloud-tempest'

/**
 * Files that come one after the other come by their names, not the longest first: each begins with what the
 * last one left. OpenStack's own tests come before those of machines, which take as long beside them.
 */
class ByNameInTurn extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const projects = Map.groupBy(await super.sort(files), ({project}) => project)
    const sorted = [...projects].flatMap(([{name, config}, specs]) =>
      config.maxWorkers === 1 || name === MACHINES
        ? specs.toSorted((a, b) => a.moduleId.localeCompare(b.moduleId))
        : specs,
    )
    const isFirst = ({project}: TestSpecification) => project.name === TEMPEST
    return [...sorted.filter(isFirst), ...sorted.filter((file) => !isFirst(file))]
  }
}

/** Tests with the charts and images of kk, on the node that is up or on one of the run's own. */
function cloud({name, place, maxWorkers, groupOrder, testTimeout = 600_000, setupFiles = []}: CloudProject) {
  return {
    test: {
      name,
      maxWorkers,
      sequence: {groupOrder},
      include: [`test/cloud/${place}/**/*.test.ts`],
      globalSetup: ['test/cloud/support/setup.ts'],
      setupFiles: [...setupFiles],
      testTimeout,
      hookTimeout: 3_600_000,
    },
  }
}

export default defineConfig({
  // How long each file took, for the longest to start first; below node_modules `npm ci` would forget it.
  cacheDir: 'dist/vite',
  test: {
    // For all projects.
    globalSetup: ['test/support/setup.ts'],
    // So it would what it has made of the sources.
    fsModuleCachePath: 'dist/vite/modules',
    sequence: {sequencer: ByNameInTurn},
    // A test that fails once in a thousand runs is known by its name afterwards.
    reporters: ['default', './scripts/failed-tests.ts'],
    // `isolate: false` below: no module keeps state, so files share what is imported, which takes a second
    // for each alone.
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
          isolate: false,
          // A limit for what hangs: some read all charts, and a machine may be busy.
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'programs',
          maxWorkers,
          include: WITH_PROGRAMS,
          isolate: false,
          globalSetup: ['test/own-charts/support/setup.ts'],
          // What hangs is to end: a case that starts gpg and helm twenty times takes a minute beside a
          // machine's other work.
          testTimeout: 300_000,
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          name: 'e2e',
          maxWorkers,
          include: ['test/e2e/**/*.test.ts'],
          isolate: false,
          globalSetup: ['test/e2e/support/setup.ts'],
          testTimeout: 300_000,
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          name: 'images',
          maxWorkers,
          // What kk images build has made, each started in a chroot: root, and no node.
          include: ['test/built-images/**/*.test.ts'],
          globalSetup: ['test/own-charts/support/setup.ts', 'test/built-images/support/setup.ts'],
          testTimeout: 180_000,
          hookTimeout: 600_000,
        },
      },
      // One node per machine, so these come in groups: what ends the node first, and what shares a cloud file
      // by file.
      {
        test: {
          name: 'aio',
          maxWorkers: 1,
          sequence: {groupOrder: 1},
          include: ['test/aio/**/*.test.ts'],
          globalSetup: ['test/aio/support/setup.ts'],
          testTimeout: 180_000,
          hookTimeout: 600_000,
        },
      },
      // Each has a namespace, and waits more than it works.
      cloud({name: 'cloud-parts', place: 'parts', maxWorkers: 3, groupOrder: 2}),
      // It has three nodes, and ends them.
      cloud({name: 'cloud-nodes', place: 'nodes', maxWorkers: 1, groupOrder: 8, testTimeout: 3_600_000}),
      // What comes after it finds the cloud upgraded.
      cloud({name: 'cloud-slurp', place: 'slurp', maxWorkers: 1, groupOrder: 3}),
      cloud({name: 'cloud', place: 'whole', maxWorkers: 1, groupOrder: 4}),
      // Tempest keeps to projects of its own, and leaves a third of two cores.
      cloud({
        ...{name: MACHINES, place: 'machines', maxWorkers: 2, groupOrder: 5},
        setupFiles: ['test/cloud/support/one-file-at-a-time.ts'],
      }),
      cloud({name: TEMPEST, place: 'tempest', maxWorkers: 2, groupOrder: 5}),
      cloud({name: 'cloud-releases', place: 'releases', maxWorkers: 1, groupOrder: 6}),
      cloud({name: 'cloud-catalogue', place: 'catalogue', maxWorkers: 1, groupOrder: 7}),
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
