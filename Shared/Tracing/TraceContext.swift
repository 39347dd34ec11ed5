import Formats

/// The place of a span: its trace, its own id, and whether the trace is recorded.
///
/// Source: https://www.w3.org/TR/trace-context/
package struct TraceContext: Sendable, Equatable {
  /// The first half of the trace's id.
  let high: UInt64
  /// The second half of the trace's id.
  let low: UInt64
  /// The span's id.
  let span: UInt64
  /// Whether spans of the trace are recorded.
  package let isSampled: Bool
  /// The value of `tracestate`, which is only passed on; `nil` without one.
  let state: String?

  init(high: UInt64, low: UInt64, span: UInt64, isSampled: Bool, state: String? = nil) {
    (self.high, self.low, self.span, self.isSampled, self.state) = (high, low, span, isSampled, state)
  }

  /// Reads a `traceparent`; `nil` if it is not valid.
  ///
  /// - Parameter state: a `tracestate`; one of more than 512 bytes is dropped.
  package init?(_ traceparent: String, state: String? = nil) {
    let bytes = Array(traceparent.utf8)
    guard bytes.count >= 55, [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }) else { return nil }
    func number(_ places: Range<Int>) -> UInt64? { Hex.number(lowercase: bytes[places]) }
    guard let version = number(0..<2), version != 0xFF, let high = number(3..<19), let low = number(19..<35),
      let span = number(36..<52), let flags = number(53..<55)
    else { return nil }
    // A later version may append further fields.
    guard bytes.count == 55 || version > 0 && bytes[55] == UInt8(ascii: "-") else { return nil }
    guard high != 0 || low != 0, span != 0 else { return nil }
    self.init(
      high: high, low: low, span: span, isSampled: flags & 1 == 1,
      state: state.flatMap { $0.utf8.count > 512 ? nil : $0 })
  }

  /// The context that follows from an event without a `traceparent`: the same in every process and for every attempt.
  init(source: String, id: String, isSampled: Bool = true) {
    // Two FNV-1a hashes of 64 bits with different bases, each mixed as splitmix64 does.
    var hashes: (UInt64, UInt64) = (0xCBF2_9CE4_8422_2325, 0x6C62_272E_07BB_0142)
    func add(_ byte: UInt8) {
      hashes.0 = (hashes.0 ^ UInt64(byte)) &* 0x100_0000_01B3
      hashes.1 = (hashes.1 ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    for byte in source.utf8 { add(byte) }
    add(0)
    for byte in id.utf8 { add(byte) }
    let (high, low) = (Self.mixed(hashes.0), Self.mixed(hashes.1))
    let span = Self.mixed(high ^ low &+ 0x9E37_79B9_7F4A_7C15)
    self.init(high: high, low: low | (low == 0 ? 1 : 0), span: span | (span == 0 ? 1 : 0), isSampled: isSampled)
  }

  /// A span of its own below this one; the same in a trace that is not recorded, where nobody tells spans apart.
  package func child() -> TraceContext { isSampled ? with(span: .random(in: 1...UInt64.max)) : self }

  func with(span: UInt64) -> TraceContext {
    TraceContext(high: high, low: low, span: span, isSampled: isSampled, state: state)
  }

  func with(isSampled: Bool) -> TraceContext {
    TraceContext(high: high, low: low, span: span, isSampled: isSampled, state: state)
  }

  /// The value of `traceparent`.
  package var traceparent: String {
    String(unsafeUninitializedCapacity: 55) { text in
      var end = text.update(fromContentsOf: "00-".utf8)
      for (number, follows) in [(high, ""), (low, "-"), (span, isSampled ? "-01" : "-00")] {
        end = text[end...].update(fromContentsOf: Hex.digits(number))
        end = text[end...].update(fromContentsOf: follows.utf8)
      }
      return end
    }
  }

  /// 32 hexadecimal digits.
  var traceID: [UInt8] { Hex.digits(high) + Hex.digits(low) }

  private static func mixed(_ value: UInt64) -> UInt64 {
    var value = value
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}
