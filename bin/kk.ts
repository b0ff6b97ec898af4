#!/usr/bin/env node
/**
 * All that the executable reads at every start: the rest of kk is a bundle beside it. Nothing is imported before signals are
 * listened to, for one that comes earlier ends kk without a word.
 */
async function start(): Promise<void> {
  // What comes while kk is read is answered as soon as it is known how.
  let signal: NodeJS.Signals | undefined
  const note = (name: NodeJS.Signals) => {
    signal ??= name
  }
  process.on('SIGINT', note).on('SIGTERM', note).on('SIGHUP', note)
  const early = () => {
    process.off('SIGINT', note).off('SIGTERM', note).off('SIGHUP', note)
    return signal
  }
  const argv = process.argv.slice(2)
  if (argv.length === 1 && argv[0] === '--version') {
    const {VERSION} = await import('../src/cli/version.ts')
    process.stdout.write(`kk/${VERSION} ${process.platform}-${process.arch} node-${process.version}\n`)
    return
  }
  if (argv[0] === '__names') {
    const {completedNames} = await import('../src/cli/names.ts')
    const names = await completedNames(argv[1] ?? '', argv.slice(2), process.env)
    process.stdout.write(names.map((name) => `${name}\n`).join(''))
    return
  }
  // oclif would print its arguments, and the values of --set are among them.
  delete process.env['DEBUG']
  const {loadBundle} = await import('../src/state/assets.ts')
  const {main} = await loadBundle('main', async () => {
    const {makeTableWhenOld} = await import('../scripts/table.ts')
    await makeTableWhenOld()
    return import('../src/main.ts')
  })
  process.exitCode = await main(argv, early)
}

void start()
