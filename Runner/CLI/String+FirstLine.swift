extension String {
  /// Up to the first line's end.
  package var firstLine: String { String(prefix { !$0.isNewline }) }
}
