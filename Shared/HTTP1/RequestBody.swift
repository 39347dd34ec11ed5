import Formats

/// The body of a request as it comes.
///
/// It is counted to its end, and kept while it is wanted.
struct RequestBody {
  /// The bytes that have come and are kept.
  private(set) var bytes: [UInt8] = []
  /// How many bytes have come, kept or not.
  private(set) var received = 0
  private var isKept = true
  private var left: Int
  private var chunks: ChunkedBody?

  init(_ framing: BodyFraming = .length(0)) {
    switch framing {
    case .length(let count): left = count
    case .chunked: (left, chunks) = (0, ChunkedBody())
    }
  }

  var isComplete: Bool { chunks?.isComplete ?? (left == 0) }

  /// How many bytes are still to come, if that is known.
  var expected: Int? { chunks == nil ? left : nil }

  /// The memory that it uses.
  var memory: Int { bytes.capacity }

  /// Takes bytes that have come.
  ///
  /// - Returns: how many of these bytes belong to the body.
  mutating func take(_ piece: UnsafeRawBufferPointer) throws(MalformedRequest) -> Int {
    guard var chunks else {
      let used = min(left, piece.count)
      left -= used
      keep(UnsafeRawBufferPointer(rebasing: piece[..<used]))
      return used
    }
    let used = try chunks.take(piece) { keep($0) }
    self.chunks = chunks
    return used
  }

  /// Hands over the bytes that have come.
  mutating func release() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  /// Forgets the bytes that have come.
  ///
  /// Further bytes are only counted.
  mutating func discard() {
    (bytes, isKept) = ([], false)
  }

  private mutating func keep(_ piece: UnsafeRawBufferPointer) {
    received += piece.count
    if isKept { bytes += piece }
  }
}

/// How a request shows where its body ends.
///
/// Source: https://www.rfc-editor.org/rfc/rfc9112#section-6.3
package enum BodyFraming: Sendable, Equatable {
  /// The length in bytes; 0 if there is no body.
  case length(Int)
  case chunked

  package init(_ headers: HeaderFields, isOld: Bool) throws(MalformedRequest) {
    let (lengths, codings) = (headers.values(of: "content-length"), headers.values(of: "transfer-encoding"))
    guard codings.isEmpty else {
      guard lengths.isEmpty else {
        throw MalformedRequest("Content-Length and Transfer-Encoding exclude each other.")
      }
      guard !isOld else { throw MalformedRequest("HTTP/1.0 has no Transfer-Encoding.") }
      try Self.checkCodings(codings)
      self = .chunked
      return
    }
    guard lengths.count <= 1 else { throw MalformedRequest("A request has one field Content-Length at most.") }
    self = .length(try lengths.first.map(Self.length) ?? 0)
  }

  private static func checkCodings(_ fields: [String]) throws(MalformedRequest) {
    // Unicode has other letters whose lower case is one of these.
    guard fields.allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 } }) else {
      throw MalformedRequest("Transfer-Encoding must be chunked.")
    }
    guard fields.count > 1 || fields[0].lowercased() != "chunked" else { return }
    let words = HeaderFields.words(fields)
    guard words.last == "chunked", !words.dropLast().contains("chunked"), fields.count == 1 else {
      throw MalformedRequest("Transfer-Encoding must be chunked.")
    }
    throw MalformedRequest(501, "NOT_IMPLEMENTED", "Only the Transfer-Encoding chunked is accepted.")
  }

  /// A length that is too large for an integer here is only too large a body.
  private static func length(_ text: String) throws(MalformedRequest) -> Int {
    guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else {
      throw MalformedRequest("Content-Length must be a number of bytes.")
    }
    return Int(text) ?? .max
  }
}

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
