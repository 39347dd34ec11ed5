import Glibc

/// The system's random bytes, without opening a file for them.
package enum Randomness {
  /// Fills memory with them.
  package static func fill(_ bytes: UnsafeMutableRawBufferPointer) {
    var rest = bytes[...]
    while !rest.isEmpty {
      // The system gives no more at once.
      let piece = UnsafeMutableRawBufferPointer(rebasing: rest.prefix(256))
      if getentropy(piece.baseAddress, piece.count) == 0 { rest = rest.dropFirst(piece.count) }
    }
  }
}
