extension String {
  /// Whether it shows nothing: it is empty, or has only white space and invisible characters.
  package var isBlank: Bool { unicodeScalars.allSatisfy(\.isInvisible) }
  /// The text; `nil` if it shows nothing.
  package var unlessBlank: String? { isBlank ? nil : self }
}

extension Unicode.Scalar {
  fileprivate var isInvisible: Bool {
    switch properties.generalCategory {
    case .control, .format: true
    // U+2800 is a Braille cell without a dot.
    default: properties.isWhitespace || properties.isDefaultIgnorableCodePoint || value == 0x2800
    }
  }
}
