/// The word that a person may have meant who typed an unknown one.
package enum Suggestion {
  /// ` did you mean …?` with the nearest of the known words; empty where none is near.
  package static func phrase(for word: String, among known: [String]) -> String {
    let near = known.map { (word: $0, distance: distance(word, $0)) }.filter { $0.distance <= max(1, word.count / 3) }
    return near.min { $0.distance < $1.distance }.map { " did you mean \($0.word)?" } ?? ""
  }

  /// How many letters have to be put in, taken out, replaced or swapped with the next.
  private static func distance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left), Array(right))
    var table = (0...left.count).map { i in (0...right.count).map { j in i == 0 ? j : j == 0 ? i : 0 } }
    for (i, letter) in left.enumerated() {
      for (j, other) in right.enumerated() {
        var least = min(table[i][j + 1] + 1, table[i + 1][j] + 1, table[i][j] + (letter == other ? 0 : 1))
        if i > 0, j > 0, letter == right[j - 1], other == left[i - 1] { least = min(least, table[i - 1][j - 1] + 1) }
        table[i + 1][j + 1] = least
      }
    }
    return table[left.count][right.count]
  }
}
