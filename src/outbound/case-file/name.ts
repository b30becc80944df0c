// What a case is called: its stage and its failure, fit to be the name of a folder.

const CASE_NAME = /^[a-z0-9][a-z0-9_-]{0,119}$/;

/** Whether `text` can be the name of a case: no path, nothing hidden, nothing that a shell or a file system reads otherwise. */
export const isCaseName = (text: string): boolean => CASE_NAME.test(text);

/** `talos-1a2b3c4d`, or `talos-1a2b3c4d-2` when that is taken, and so on. */
export function caseName(stage: string, fingerprint: string, taken: (name: string) => boolean): string {
  const first = `${plain(stage, 64) || 'stage'}-${plain(fingerprint, 8) || 'unknown'}`;
  for (let number = 1; ; number++) {
    const name = number === 1 ? first : `${first}-${number}`;
    if (!taken(name)) return name;
  }
}

const plain = (text: string, most: number): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[-_]+/, '')
    .slice(0, most)
    .replace(/-+$/, '');
