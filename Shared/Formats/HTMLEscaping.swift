extension String {
  /// The text for HTML, as content or as a value in quotes.
  ///
  /// It escapes scalar by scalar: a character may contain a scalar that a browser takes for markup.
  package var escapedForHTML: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      if let reference = scalar.htmlReference { text += reference } else { text.unicodeScalars.append(scalar) }
    }
  }
}

extension Unicode.Scalar {
  /// The text for the scalar in HTML, as content or as a value in quotes; `nil` if the scalar stands for itself.
  package var htmlReference: String? {
    switch self {
    case "&": "&amp;"
    case "<": "&lt;"
    case ">": "&gt;"
    case "\"": "&quot;"
    case "'": "&#39;"
    default: nil
    }
  }
}
