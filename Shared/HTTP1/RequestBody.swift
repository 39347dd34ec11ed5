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
