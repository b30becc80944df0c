// Texts have few different words, each many times: what was found out about a word is kept until there are too many.

const MAX_WORDS = 4000;

export function remembered<T>(about: (word: string) => T): (word: string) => T {
  const answers = new Map<string, T>();
  return (word) => {
    let answer = answers.get(word);
    if (answer === undefined) {
      answer = about(word);
      if (answers.size >= MAX_WORDS) answers.clear();
      answers.set(word, answer);
    }
    return answer;
  };
}
