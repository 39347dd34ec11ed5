extension String {
  /// The text with other text in place of each of these scalars, also where a mark combines with one to a character.
  ///
  /// For quotes of another language, whose reader knows no characters: `replacing` would leave `'` out before U+0301.
  package func escaping(_ scalar: Unicode.Scalar, as text: String) -> String {
    unicodeScalars.reduce(into: "") { escaped, next in
      if next == scalar { escaped += text } else { escaped.unicodeScalars.append(next) }
    }
  }
}
