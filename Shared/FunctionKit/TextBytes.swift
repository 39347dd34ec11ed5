import Glibc

extension ArraySlice<UInt8> {
  /// The place of the first line end.
  ///
  /// `firstIndex(of:)` looks at one byte after the other, and some lines are long.
  package var lineEnd: Index? {
    withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, let end = memchr(start, 0x0A, bytes.count) else { return nil }
      return startIndex + (UnsafeRawPointer(end) - start)
    }
  }
}

extension Collection<UInt8> {
  /// The bytes of a text without the byte order mark that some programs write before it.
  ///
  /// Source: https://www.rfc-editor.org/rfc/rfc8259#section-8.1
  package var withoutByteOrderMark: SubSequence { starts(with: "\u{FEFF}".utf8) ? dropFirst(3) : self[...] }
}
