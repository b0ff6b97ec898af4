import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import {dirname, join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {describe, expect, it} from 'vitest'
import {explainSqlite} from '../../../../src/overrides/user/sql/sqlite-errors.ts'
import {change, openTestStore} from '../support/databases.ts'

/** Returns the error with which a statement of SQLite fails. */
function errorOf(database: DatabaseSync, statement: string): unknown {
  try {
    database.exec(statement)
  } catch (error) {
    return error
  } finally {
    database.close()
  }
  throw new Error(`expected to fail: ${statement}`)
}

/** Runs as a user other than root, for whom permissions apply. */
async function asStranger(body: () => Promise<void>): Promise<void> {
  const isRoot = process.geteuid?.() === 0
  if (isRoot) process.seteuid?.('nobody')
  try {
    await body()
  } finally {
    if (isRoot) process.seteuid?.('root')
  }
}

export function refusesFiles(newLocation: () => Promise<string>): void {
  describe('a file', () => {
    it('is created with access for its owner only', async () => {
      const path = await newLocation()
      await (await openTestStore(path)).put(change({}))

      const modes = [dirname(path), path, `${path}-wal`].map((each) => statSync(each).mode & 0o777)

      expect(modes).toEqual([0o700, 0o600, 0o600])
    })

    it('with other content is not changed', async () => {
      const path = await newLocation()
      mkdirSync(dirname(path))
      writeFileSync(path, 'name,price\n'.repeat(100))

      await expect(openTestStore(path)).rejects.toMatchObject({
        code: 'KK_STORE_DATABASE',
        message: `the override store ${path} cannot be used: it is not a database of SQLite`,
      })
      expect(readFileSync(path, 'utf8')).toBe('name,price\n'.repeat(100))
    })

    it('that is the database of another program is not changed', async () => {
      const path = await newLocation()
      mkdirSync(dirname(path))
      const other = new DatabaseSync(path)
      other.exec('create table bookmarks (id integer)')
      other.close()

      await expect(openTestStore(path)).rejects.toThrow('it holds the tables of another program')

      const tables = new DatabaseSync(path).prepare('select name from sqlite_master').all()
      expect(tables).toEqual([{name: 'bookmarks'}])
    })

    it('below a path that is no directory is reported', async () => {
      const path = await newLocation()
      mkdirSync(dirname(path))
      writeFileSync(path, '')

      await expect(openTestStore(join(path, 'store.sqlite'))).rejects.toMatchObject({
        code: 'KK_FILE',
        message: `the directory ${path} cannot be created (ENOTDIR)`,
      })
    })

    it.each([
      ['the file was removed', (path: string) => rmSync(path)],
      ['its log PATH-wal was removed', (path: string) => rmSync(`${path}-wal`)],
      [
        'the file was replaced by another',
        (path: string) => {
          copyFileSync(path, `${path}.copy`)
          renameSync(`${path}.copy`, path)
        },
      ],
    ])('is neither read nor written if %s in the meantime', async (how, disturb) => {
      const path = await newLocation()
      const store = await openTestStore(path)
      await store.put(change({}))

      disturb(path)

      const refused = {
        code: 'KK_STORE_DATABASE',
        message: `the override store ${path} cannot be used: ${how.replace('PATH', path)} while kk had it open`,
      }
      await expect(store.put(change({name: 'glance'}))).rejects.toMatchObject(refused)
      await expect(store.putSecret({name: 'a', namespace: 'b', value: 'c'})).rejects.toMatchObject(refused)
      await expect(store.list()).rejects.toMatchObject(refused)
      await expect(store.identity()).rejects.toMatchObject(refused)
    })

    it('that is read-only is read, and reports that on a write', async () => {
      const path = await newLocation()
      const own = await openTestStore(path)
      await own.put(change({}))
      await own.close()
      chmodSync(path, 0o444)
      for (const directory of [dirname(path), dirname(dirname(path))]) chmodSync(directory, 0o555)

      await asStranger(async () => {
        const store = await openTestStore(path)

        expect(await store.list()).toHaveLength(1)
        expect((await store.audit()).length).toBe(1)
        await expect(store.put(change({name: 'glance'}))).rejects.toMatchObject({
          code: 'KK_STORE_DATABASE',
          message: `the override store ${path} cannot be used: it may only be read`,
        })
        await store.close()
      })
      for (const directory of [dirname(path), dirname(dirname(path))]) chmodSync(directory, 0o700)
    })

    it('that is read-only, and that another process has open, is read with its last writes', async () => {
      const path = await newLocation()
      const own = await openTestStore(path)
      await own.put(change({}))
      for (const each of [path, `${path}-wal`, `${path}-shm`]) chmodSync(each, 0o444)
      for (const directory of [dirname(path), dirname(dirname(path))]) chmodSync(directory, 0o555)

      await asStranger(async () => {
        const store = await openTestStore(path)
        expect(await store.list()).toHaveLength(1)
        await store.close()
      })
      for (const directory of [dirname(path), dirname(dirname(path))]) chmodSync(directory, 0o700)
      await own.close()
    })

    it('that is full, read-only or locked is reported as such', async () => {
      const path = await newLocation()
      await (await openTestStore(path)).put(change({}))
      const row = `values ('x', 'y', 'z', '${'x'.repeat(100_000)}')`
      const insert = `insert into helm_overrides (created_at, name, namespace, user_overrides) ${row}`
      const full = new DatabaseSync(path)
      full.exec('pragma max_page_count = 5')
      const holder = new DatabaseSync(path)
      holder.exec('begin immediate')

      const errors = [
        errorOf(new DatabaseSync(path, {readOnly: true}), insert),
        errorOf(new DatabaseSync(path), insert),
      ]
      holder.close()
      errors.push(errorOf(full, insert))

      expect(errors.map((error) => (explainSqlite(error, 'f') as Error).message)).toEqual([
        'the override store f cannot be used: it may only be read',
        'the override store f cannot be used: another process writes to it without an end',
        'the override store f cannot be used: the disk is full',
      ])
    })
  })
}
