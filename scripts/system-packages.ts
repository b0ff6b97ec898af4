/**
 * What tests, benchmarks, the node and the cloud need from the system, in addition to Node, npm, Go and git.
 */
import {existsSync} from 'node:fs'
import {execa} from 'execa'
import {IMAGE_TOOLS} from '../src/images/building/buildah.ts'
import {NODE_PROGRAMS} from '../src/sandbox/node/doctor/programs.ts'

interface SystemNeed {
  readonly what: string
  /** Debian's package. */
  readonly package: string
  /** Exits 0 if it is installed. */
  readonly probe: readonly [string, ...string[]]
}

const CHROMIUM: SystemNeed = {
  what: 'Chromium (pages are tested in it)',
  package: 'chromium',
  probe: ['/usr/bin/chromium', '--version'],
}

const TEST_NEEDS: readonly SystemNeed[] = [
  {
    what: 'Python with PyYAML (what values split is compared with)',
    package: 'python3-yaml',
    probe: ['/usr/bin/python3', '-c', 'import yaml'],
  },
  {
    what: 'PostgreSQL (the tests start one of their own)',
    package: 'postgresql',
    // Debian keeps the server off the path, below its version number.
    probe: [
      '/bin/sh',
      '-c',
      'for each in /usr/lib/postgresql/*/bin/postgres; do exec "$each" --version; done',
    ],
  },
  {
    what: 'docker-registry (charts are published into one)',
    package: 'docker-registry',
    probe: ['/bin/sh', '-c', 'command -v docker-registry'],
  },
  {what: 'gpg (charts are signed with it)', package: 'gnupg', probe: ['/bin/sh', '-c', 'command -v gpg']},
  {
    what: 'strace (it kills kk at a step of its journal)',
    package: 'strace',
    probe: ['/usr/bin/strace', '--version'],
  },
  {what: 'groff (it reads the manual pages)', package: 'groff-base', probe: ['groff', '--version']},
  CHROMIUM,
]

/** What the nightly tests need in addition. */
const NIGHT_NEEDS: readonly SystemNeed[] = [
  ...TEST_NEEDS,
  {
    what: 'systemd-analyze (it reads the unit of kk serve)',
    package: 'systemd',
    probe: ['systemd-analyze', '--version'],
  },
  {
    what: 'libfaketime (it gives processes a wrong clock)',
    package: 'libfaketime',
    probe: ['/bin/sh', '-c', 'test -e /usr/lib/*/faketime/libfaketime.so.1'],
  },
  ...['fish', 'zsh'].map(
    (shell): SystemNeed => ({
      what: `${shell}, which completes words of kk`,
      package: shell,
      probe: [shell, '--version'],
    }),
  ),
]

/** The load generator for `kk serve`. */
const BENCH_NEEDS: readonly SystemNeed[] = [
  ...TEST_NEEDS,
  {what: 'wrk (the load of the benchmarks)', package: 'wrk', probe: ['/bin/sh', '-c', 'command -v wrk']},
]

/** The programs of the all-in-one node, and those with which its tests build an image. */
const AIO_NEEDS: readonly SystemNeed[] = [
  ...NODE_PROGRAMS.map(({name, programs}) => ({
    what: `the programs of ${name}`,
    package: name,
    probe: [
      '/bin/sh',
      '-c',
      `PATH=$PATH:/usr/sbin:/sbin; ${programs.map((each) => `command -v ${each}`).join(' && ')}`,
    ] as const,
  })),
  ...Object.entries(IMAGE_TOOLS).map(([program, name]) => ({
    what: `${program}, which builds images`,
    package: name,
    probe: ['/bin/sh', '-c', `command -v ${program}`] as const,
  })),
  {what: 'curl, for pods of the tests', package: 'curl', probe: ['/usr/bin/curl', '--version']},
  {
    what: 'a busybox that needs no libraries',
    package: 'busybox-static',
    probe: ['/bin/sh', '-c', 'test -x /bin/busybox && ! ldd /bin/busybox'],
  },
]

/** The programs that check whether a virtual machine answers. */
const CLOUD_NEEDS: readonly SystemNeed[] = [
  ...AIO_NEEDS,
  {
    what: 'SSH',
    package: 'openssh-client',
    probe: ['/bin/sh', '-c', 'command -v ssh && command -v ssh-keygen'],
  },
  {what: 'ping', package: 'iputils-ping', probe: ['/bin/sh', '-c', 'command -v ping']},
]

/** The package with the BMC emulator for bare metal. */
const PIP: SystemNeed = {what: 'pip', package: 'python3-pip', probe: ['python3', '-m', 'pip', '--version']}

const PURPOSES = {
  tests: {who: 'the tests need', needs: TEST_NEEDS},
  night: {who: 'the tests of the night need', needs: NIGHT_NEEDS},
  bench: {who: 'the benchmarks need', needs: BENCH_NEEDS},
  aio: {who: 'the all-in-one node needs', needs: AIO_NEEDS},
  cloud: {who: 'a cloud on this machine needs', needs: CLOUD_NEEDS},
  cloudTests: {who: 'the tests of a cloud need', needs: [...CLOUD_NEEDS, CHROMIUM, PIP]},
}

/** Installs missing packages and prints that, as root on Debian; otherwise throws with the list. */
export async function ensureSystemPackages(
  say: (line: string) => void,
  purpose: keyof typeof PURPOSES = 'tests',
): Promise<void> {
  const missing: SystemNeed[] = []
  const {who, needs} = PURPOSES[purpose]
  for (const need of needs) if (!(await works(need.probe))) missing.push(need)
  if (missing.length === 0) return
  const packages = missing.map((need) => need.package)
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    throw new Error(
      `${who}: ${missing.map((need) => `${need.what}, e.g. Debian's ${need.package}`).join('; ')}`,
    )
  }
  say(`installing ${packages.join(' ')} with apt-get`)
  await execa('apt-get', ['update', '-qq'], {stderr: 'inherit'})
  await execa('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], {
    stderr: 'inherit',
    env: {DEBIAN_FRONTEND: 'noninteractive'},
  })
}

async function works([command, ...args]: readonly [string, ...string[]]): Promise<boolean> {
  const {failed} = await execa(command, args, {reject: false, stdio: 'ignore'})
  return !failed
}
