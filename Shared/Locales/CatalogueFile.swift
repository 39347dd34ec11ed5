extension TextCatalogue {
  /// The most bytes of a file with texts.
  package static let largestFile = 1 << 20
}
