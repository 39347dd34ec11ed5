import Formats

/// Reads a body in chunks.
///
/// Extensions and trailers are checked and dropped.
///
/// Source: https://www.rfc-editor.org/rfc/rfc9112#section-7.1
struct ChunkedBody {
  /// The limit of extensions and trailers, in bytes.
  private static let mostBesides = 16_384

  private enum Place: Equatable {
    /// In the number at the start of a chunk.
    case size(digits: Int)
    /// After the number, before the semicolon of an extension.
    case blank
    case extensions
    case sizeEnd
    case data
    case dataEnd
    case dataFeed
    case trailer
    case trailerName
    case trailerValue
    case trailerFeed
    case lastFeed
    case end
  }

  private var place = Place.size(digits: 0)
  /// The bytes of the chunk that are still to come.
  private var left = 0
  private var besides = 0

  var isComplete: Bool { place == .end }

  /// Takes bytes that have come.
  ///
  /// - Parameter body: gets the bytes of the body itself.
  /// - Returns: how many bytes belong to the chunked body.
  mutating func take(
    _ piece: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(MalformedRequest) -> Int {
    var index = 0
    while index < piece.count, place != .end {
      if place == .data {
        let count = min(left, piece.count - index)
        body(UnsafeRawBufferPointer(rebasing: piece[index..<index + count]))
        index += count
        left -= count
        if left == 0 { place = .dataEnd }
      } else {
        place = try next(piece[index])
        index += 1
      }
    }
    return index
  }

  private mutating func next(_ byte: UInt8) throws(MalformedRequest) -> Place {
    switch place {
    case .size(let digits): return try size(byte, digits)
    case .blank where byte.isBlank: return .blank
    case .blank where byte == UInt8(ascii: ";"): return .extensions
    case .extensions: return try besides(byte, .extensions, .sizeEnd)
    case .sizeEnd where byte == .lineFeed: return left == 0 ? .trailer : .data
    case .dataEnd where byte == .carriageReturn: return .dataFeed
    case .dataFeed where byte == .lineFeed: return .size(digits: 0)
    case .trailer where byte == .carriageReturn: return .lastFeed
    case .trailer where byte.isTokenCharacter: return try besides(byte, .trailerName, .trailerFeed)
    case .trailerName where byte.isTokenCharacter: return try besides(byte, .trailerName, .trailerFeed)
    case .trailerName where byte == UInt8(ascii: ":"): return .trailerValue
    case .trailerValue: return try besides(byte, .trailerValue, .trailerFeed)
    case .trailerFeed where byte == .lineFeed: return .trailer
    case .lastFeed where byte == .lineFeed: return .end
    default: throw Self.malformed
    }
  }

  private mutating func size(_ byte: UInt8, _ digits: Int) throws(MalformedRequest) -> Place {
    if let digit = Hex.value(byte) {
      // Leading zeros count, too: no body needs 15 digits.
      guard digits < 15 else { throw Self.malformed }
      left = (digits == 0 ? 0 : left) << 4 | Int(digit)
      return .size(digits: digits + 1)
    }
    guard digits > 0 else { throw Self.malformed }
    switch byte {
    case .carriageReturn: return .sizeEnd
    case UInt8(ascii: ";"): return .extensions
    case .space, .tab: return .blank
    default: throw Self.malformed
    }
  }

  private mutating func besides(_ byte: UInt8, _ here: Place, _ behind: Place) throws(MalformedRequest) -> Place {
    if byte == .carriageReturn { return behind }
    guard byte.isFieldCharacter else { throw Self.malformed }
    besides += 1
    guard besides < Self.mostBesides else {
      throw MalformedRequest(431, "HEAD_TOO_LARGE", "The body's extensions and trailers are too long.")
    }
    return here
  }

  private static let malformed = MalformedRequest("The body's chunks are malformed.")
}
