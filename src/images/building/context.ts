import {copyFile, cp, link} from 'node:fs/promises'
import {join} from 'node:path'
import type {Image} from '../image.ts'

/** Fills `directory` with what a Containerfile may ADD or COPY: its folder, its root file system, the programs it carries. */
export async function fillContext(
  directory: string,
  {folder, carries}: Image,
  {rootfs, carried}: {readonly rootfs?: string; readonly carried: Readonly<Record<string, string>>},
): Promise<void> {
  await cp(folder, directory, {recursive: true})
  if (rootfs !== undefined) await place(rootfs, join(directory, 'rootfs.tar'))
  for (const name of carries) await place(carried[name]!, join(directory, name))
}

/** A link where it can be one: these files are large. */
async function place(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to))
}
