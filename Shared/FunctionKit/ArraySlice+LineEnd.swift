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
