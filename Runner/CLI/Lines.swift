import Terminal

extension String {
  /// Lines of whole words; a word that is wider than a line has one of its own.
  package func wrapped(toColumns limit: Int?) -> [String] {
    guard let limit, columns > limit else { return [self] }
    var lines: [String] = []
    for word in split(separator: " ").map(String.init) {
      if let last = lines.last, last.columns + 1 + word.columns <= limit {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(word)
      }
    }
    return lines
  }

  /// Up to the first line's end.
  package var firstLine: String { String(prefix { !$0.isNewline }) }
}
