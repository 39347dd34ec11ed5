/// Puts the head of a request together from the pieces that come.
struct HeadReader {
  /// The largest head that is accepted, in bytes.
  static let largest = 16_384

  private var bytes: [UInt8] = []
  /// Where the request line begins; empty lines before it are skipped.
  private var start = 0
  private var lineStart = 0

  init() {}

  /// Whether a part of a head has come.
  var hasBegun: Bool { bytes.count > start }

  /// Takes bytes that have come.
  ///
  /// - Returns: the head, or `nil` while it is not complete, and how many of these bytes belong to it.
  mutating func take(
    _ piece: UnsafeRawBufferPointer
  ) throws(MalformedRequest) -> (head: RequestHead?, used: Int) {
    let before = bytes.count
    bytes += piece.prefix(start + Self.largest - before)
    if let end = try end(after: before) {
      let head = try RequestHead(bytes[start..<end])
      self = HeadReader()
      return (head, end - before)
    }
    guard start < Self.largest else { throw MalformedRequest("A request begins with its method.") }
    guard bytes.count - start < Self.largest else {
      throw lineStart == start
        ? MalformedRequest(414, "URI_TOO_LONG", "The request line is longer than \(Self.largest) bytes.")
        : MalformedRequest(431, "HEAD_TOO_LARGE", "The header fields are larger than \(Self.largest) bytes.")
    }
    return (nil, bytes.count - before)
  }

  /// Where the head ends: after its empty line.
  private mutating func end(after checked: Int) throws(MalformedRequest) -> Int? {
    var next = checked
    while let feed = bytes[next...].firstIndex(of: .lineFeed) {
      guard feed > lineStart, bytes[feed - 1] == .carriageReturn else {
        throw MalformedRequest("Each line of a request's head ends in CR LF.")
      }
      next = feed + 1
      let isEmpty = feed - 1 == lineStart
      let isFirst = lineStart == start
      lineStart = next
      if isEmpty, !isFirst { return next }
      if isEmpty { start = next }
    }
    // A client of another protocol gets its answer before the end of the line.
    if start < bytes.count, bytes[start] != .carriageReturn, !bytes[start].isTokenCharacter {
      throw MalformedRequest("A request begins with its method.")
    }
    return nil
  }
}
