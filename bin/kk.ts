#!/usr/bin/env node
/**
 * Starts kk. The executable parses only this file at every start; the rest of kk is a separate bundle.
 * Nothing is imported before signal handlers are installed, because an earlier signal ends kk without a
 * message.
 */
async function start(): Promise<void> {
  // A signal that arrives during loading is handled once kk is loaded.
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
  // oclif would print its arguments, which include the values of --set.
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
