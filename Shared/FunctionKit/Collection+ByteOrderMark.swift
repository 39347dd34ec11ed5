extension Collection<UInt8> {
  /// The bytes of a text without the byte order mark that some programs write before it.
  ///
  /// Source: https://www.rfc-editor.org/rfc/rfc8259#section-8.1
  package var withoutByteOrderMark: SubSequence { starts(with: "\u{FEFF}".utf8) ? dropFirst(3) : self[...] }
}
